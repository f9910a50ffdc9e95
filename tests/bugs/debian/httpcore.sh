# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's Apache HttpCore (Java), a thread for each connection, which counts visits and makes reports. Sourced by start.sh.

# A visit is counted by a URL, whose hash is that of its host's address, or by a URI; the parts of a report are counted by the threads that make
# reports, or by others. Settings are read again each three seconds, which takes long or not.
server_httpcore() {
	local key=URI rounds=1000 counters='Executors.newFixedThreadPool(2)'
	[ "$name" != blind7-httpcore-urls ] || key=URL
	[ "$name" != blind7-httpcore-nested ] || counters=writers
	[ "$name" != blind7-httpcore-settings ] || rounds=600000
	name_server 15
	cat >"$work/Shop.java" <<-JAVA
	import java.net.*;
	import java.security.MessageDigest;
	import java.util.*;
	import java.util.concurrent.*;
	import org.apache.http.*;
	import org.apache.http.entity.*;
	import org.apache.http.impl.bootstrap.*;
	import org.apache.http.protocol.*;

	public class Shop {
	    static final Map<$key, Integer> visits = new ConcurrentHashMap<>();
	    static final ExecutorService writers = Executors.newFixedThreadPool(2), counters = $counters;

	    static String countVisit(String host) throws Exception {
	        return "visits " + visits.merge(new $key("http://" + host + "/"), 1, Integer::sum);
	    }

	    static int countParts(String part) {
	        return part.length();
	    }

	    static String writeReport(String part) throws Exception {
	        Thread.sleep(20);
	        return "report of " + counters.submit(() -> countParts(part)).get();
	    }

	    static String digest(String text) throws Exception {
	        byte[] kept = text.getBytes();
	        for (int i = 0; i < 200; i++)
	            kept = MessageDigest.getInstance("SHA-256").digest(kept);
	        return "digest " + kept[0];
	    }

	    static class Settings {
	        final long since = System.nanoTime();
	        final String words;

	        Settings(String words) {
	            this.words = words;
	        }
	    }

	    static final Map<String, Settings> settings = new ConcurrentHashMap<>();

	    static Settings readSettings() {
	        try {
	            byte[] kept = "settings".getBytes();
	            for (int i = 0; i < $rounds; i++)
	                kept = MessageDigest.getInstance("SHA-256").digest(kept);
	            return new Settings("digest " + kept[0]);
	        } catch (Exception failed) {
	            return new Settings("none");
	        }
	    }

	    static Settings freshSettings() {
	        return settings.compute("all", (name, old) -> old != null && System.nanoTime() - old.since < 3000000000L ? old : readSettings());
	    }

	    static String answer(String path) throws Exception {
	        String rest = path.substring(path.lastIndexOf('/') + 1);
	        if (path.startsWith("/visit/"))
	            return countVisit(rest);
	        if (path.startsWith("/report/"))
	            return writers.submit(() -> writeReport(rest)).get();
	        return path.startsWith("/digest/") ? digest(rest) : "page " + rest;
	    }

	    static void handle(HttpRequest request, HttpResponse response, HttpContext context) {
	        try {
	            if (request.getRequestLine().getUri().startsWith("/page/"))
	                response.setHeader("X-Settings", freshSettings().words);
	            response.setEntity(new StringEntity(answer(request.getRequestLine().getUri())));
	        } catch (Exception failed) {
	            response.setStatusCode(500);
	        }
	    }

	    public static void main(String[] args) throws Exception {
	        ServerBootstrap.bootstrap().setListenerPort($port).setLocalAddress(InetAddress.getByName("127.0.0.1"))
	            .setSocketConfig(org.apache.http.config.SocketConfig.custom().setTcpNoDelay(true).build())
	            .registerHandler("*", Shop::handle).create().start();
	    }
	}
	JAVA
	"${with_names[@]}" "$program" -Xmx256m -cp /usr/share/java/httpcore.jar "$work/Shop.java" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
