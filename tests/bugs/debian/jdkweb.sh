# SPDX-License-Identifier: GPL-2.0-only
# Start a service on the HTTP server of the JDK (Java), with threads that share one log of Log4j. Sourced by start.sh.

# The log is a pipe, whose reader pauses, or does not.
server_jdkweb() {
	local pause=0
	[ "$name" != blind6-jdkweb-log ] || pause=500
	mkfifo "$work/log"
	cat >"$work/Web.java" <<-JAVA
	import com.sun.net.httpserver.*;
	import java.io.IOException;
	import java.net.InetSocketAddress;
	import java.security.MessageDigest;
	import java.util.concurrent.Executors;
	import org.apache.log4j.*;

	public class Web {
	    static final Logger log = Logger.getLogger(Web.class);

	    static String answer(String path) throws Exception {
	        if (!path.startsWith("/digest/"))
	            return "page " + path.length();
	        byte[] text = path.getBytes();
	        for (int i = 0; i < 300; i++)
	            text = MessageDigest.getInstance("SHA-256").digest(text);
	        return "digest " + text[0];
	    }

	    static void serve(HttpExchange exchange) throws IOException {
	        byte[] body;
	        try {
	            body = answer(exchange.getRequestURI().getPath()).getBytes();
	        } catch (Exception no) {
	            body = "no".getBytes();
	        }
	        log.info("asked for " + exchange.getRequestURI() + " by " + exchange.getRemoteAddress() + " " + "x".repeat(300));
	        exchange.sendResponseHeaders(200, body.length);
	        exchange.getResponseBody().write(body);
	        exchange.close();
	    }

	    public static void main(String[] args) throws Exception {
	        BasicConfigurator.configure(new FileAppender(new PatternLayout("%d %t %m%n"), "$work/log"));
	        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", $port), 100);
	        server.createContext("/", Web::serve);
	        server.setExecutor(Executors.newFixedThreadPool(16));
	        server.start();
	    }
	}
	JAVA
	"$program" -Xmx128m -cp /usr/share/java/log4j-1.2.jar -Dsun.net.httpserver.nodelay=true "$work/Web.java" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	python3 "$bugs_dir/sealed.py" reader "$work/log" "$server_pid" "$pause" >"$work/reader.log" 2>&1 </dev/null &
}
