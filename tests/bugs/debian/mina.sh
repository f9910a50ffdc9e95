# SPDX-License-Identifier: GPL-2.0-only
# Start a service of lines on Debian's Apache MINA (Java), a loop for each processor, which asks a name server. Sourced by start.sh.

# Keys of one city have one hash, or each has its own; who comes is looked up by name, or not; a new list takes the place of the old one each three seconds,
# sorted by who holds its lock, or before.
server_mina() {
	local hash='31 * city.hashCode() + street.hashCode()' who='getAddress().getHostAddress()' build='String[] fresh = sortedParts();
	                synchronized (lock) {'
	[ "$name" != blind8-mina-keys ] || hash='city.hashCode()'
	[ "$name" != blind8-mina-names ] || who='getHostName()'
	[ "$name" != blind8-mina-parts ] || build='synchronized (lock) {
	                    String[] fresh = sortedParts();'
	name_server 15
	cat >"$work/Streets.java" <<-JAVA
	import java.net.InetSocketAddress;
	import java.nio.charset.StandardCharsets;
	import java.security.MessageDigest;
	import java.util.*;
	import org.apache.mina.core.service.IoHandlerAdapter;
	import org.apache.mina.core.session.IoSession;
	import org.apache.mina.filter.codec.ProtocolCodecFilter;
	import org.apache.mina.filter.codec.textline.TextLineCodecFactory;
	import org.apache.mina.transport.socket.nio.NioSocketAcceptor;

	public class Streets extends IoHandlerAdapter {
	    static final class Place {
	        final String city, street;

	        Place(String city, String street) {
	            this.city = city;
	            this.street = street;
	        }

	        public int hashCode() {
	            return $hash;
	        }

	        public boolean equals(Object other) {
	            return other instanceof Place && ((Place) other).street.equals(street) && ((Place) other).city.equals(city);
	        }
	    }

	    static final Map<Place, Integer> places = new HashMap<>();
	    static final Object lock = new Object();
	    static String[] parts = {"none"};

	    static String findPlaces(String street) {
	        int found = 0;
	        for (int i = 0; i < 80; i++)
	            found += places.containsKey(new Place("far", street + i)) ? 1 : 0;
	        return "found " + found;
	    }

	    static String[] sortedParts() {
	        String[] made = new String[250000];
	        for (int i = 0; i < made.length; i++)
	            made[i] = "part " + (long) i * 7919 % 1000003;
	        Arrays.sort(made);
	        return made;
	    }

	    static void keepParts() {
	        while (true) {
	            try {
	                $build
	                    parts = fresh;
	                }
	                Thread.sleep(3000);
	            } catch (InterruptedException ended) {
	                return;
	            }
	        }
	    }

	    static String onePart(int number) {
	        synchronized (lock) {
	            return parts[number % parts.length];
	        }
	    }

	    static String digest(String text) throws Exception {
	        byte[] kept = text.getBytes(StandardCharsets.UTF_8);
	        for (int i = 0; i < 1000; i++)
	            kept = MessageDigest.getInstance("SHA-256").digest(kept);
	        return "digest " + kept[0];
	    }

	    static String greet(IoSession session) {
	        return "hello " + ((InetSocketAddress) session.getRemoteAddress()).$who;
	    }

	    public void messageReceived(IoSession session, Object message) throws Exception {
	        String[] words = message.toString().split(" ");
	        if (words[0].equals("find"))
	            session.write(findPlaces(words[1]));
	        else if (words[0].equals("hello"))
	            session.write(greet(session));
	        else
	            session.write(words[0].equals("digest") ? digest(words[1]) : onePart(Integer.parseInt(words[1])));
	    }

	    public static void main(String[] args) throws Exception {
	        for (int i = 0; i < 6000; i++)
	            places.put(new Place(i % 20 == 0 ? "near" + i : "far", "street" + i), i);
	        new Thread(Streets::keepParts, "parts").start();
	        NioSocketAcceptor acceptor = new NioSocketAcceptor();
	        acceptor.getSessionConfig().setTcpNoDelay(true);
	        acceptor.getFilterChain().addLast("lines", new ProtocolCodecFilter(new TextLineCodecFactory(StandardCharsets.UTF_8)));
	        acceptor.setHandler(new Streets());
	        acceptor.bind(new InetSocketAddress("127.0.0.1", $port));
	    }
	}
	JAVA
	"${with_names[@]}" "$program" -Xmx512m -cp /usr/share/java/mina2-core.jar:/usr/share/java/slf4j-api.jar:/usr/share/java/slf4j-nop.jar "$work/Streets.java" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
