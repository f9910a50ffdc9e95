# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's Simple (Java), a pool of threads, with an HSQLDB of its own. Sourced by start.sh.

# All of the database is written again each three seconds, or never; who sells a part asks who brings it before he commits, or before he begins.
server_simple() {
	local late=1 keep='VALUES (1)' ask='String bringer = askBringer(id);
	            try (PreparedStatement sell = db.prepareStatement("UPDATE parts SET stock = stock - 1 WHERE id = ?")) {
	                sell.setInt(1, id);
	                sell.executeUpdate();
	            }'
	[ "$name" != blind8-simple-checkpoint ] || keep='CHECKPOINT DEFRAG'
	[ "$name" != blind8-simple-stock ] || late=15 ask='try (PreparedStatement sell = db.prepareStatement("UPDATE parts SET stock = stock - 1 WHERE id = ?")) {
	                sell.setInt(1, id);
	                sell.executeUpdate();
	            }
	            String bringer = askBringer(id);'
	name_server "$late"
	cat >"$work/Shop.java" <<-JAVA
	import java.io.PrintStream;
	import java.net.InetAddress;
	import java.net.InetSocketAddress;
	import java.nio.charset.StandardCharsets;
	import java.security.MessageDigest;
	import java.sql.*;
	import org.simpleframework.http.Request;
	import org.simpleframework.http.Response;
	import org.simpleframework.http.core.Container;
	import org.simpleframework.transport.connect.SocketConnection;

	public class Shop implements Container {
	    static final ThreadLocal<Connection> open = ThreadLocal.withInitial(Shop::connect);

	    static Connection connect() {
	        try {
	            return DriverManager.getConnection("jdbc:hsqldb:file:$work/db/shop", "SA", "");
	        } catch (SQLException failed) {
	            throw new IllegalStateException(failed);
	        }
	    }

	    static void run(String words) throws SQLException {
	        try (Statement statement = open.get().createStatement()) {
	            statement.execute(words);
	        }
	    }

	    static void makeShop() throws SQLException {
	        run("CREATE CACHED TABLE parts (id INTEGER PRIMARY KEY, name VARCHAR(200), stock INTEGER)");
	        try (PreparedStatement part = open.get().prepareStatement("INSERT INTO parts VALUES (?, ?, 1000)")) {
	            for (int i = 0; i < 40000; i++) {
	                part.setInt(1, i);
	                part.setString(2, "part " + i + " of many");
	                part.executeUpdate();
	            }
	        }
	    }

	    static void keepShop() {
	        while (true) {
	            try {
	                Thread.sleep(3000);
	                run("$keep");
	            } catch (InterruptedException | SQLException ended) {
	                System.out.println(ended);
	                return;
	            }
	        }
	    }

	    static String askBringer(int id) {
	        try {
	            return InetAddress.getByName("b" + id + "-" + System.nanoTime() + ".far.test").getHostAddress();
	        } catch (java.net.UnknownHostException none) {
	            return "nobody";
	        }
	    }

	    static String sellPart(int id) throws SQLException {
	        Connection db = open.get();
	        db.setAutoCommit(false);
	        try {
	            $ask
	            db.commit();
	            return "sold, brought by " + bringer;
	        } finally {
	            db.setAutoCommit(true);
	        }
	    }

	    static String onePart(int id) throws SQLException {
	        try (PreparedStatement part = open.get().prepareStatement("SELECT name FROM parts WHERE id = ?")) {
	            part.setInt(1, id);
	            try (ResultSet rows = part.executeQuery()) {
	                return rows.next() ? rows.getString(1) : "none";
	            }
	        }
	    }

	    static String digest(String text) throws Exception {
	        byte[] kept = text.getBytes(StandardCharsets.UTF_8);
	        for (int i = 0; i < 1000; i++)
	            kept = MessageDigest.getInstance("SHA-256").digest(kept);
	        return "digest " + kept[0];
	    }

	    static String answer(String kind, String rest) throws Exception {
	        if (kind.equals("sell"))
	            return sellPart(Integer.parseInt(rest));
	        return kind.equals("digest") ? digest(rest) : onePart(Integer.parseInt(rest));
	    }

	    public void handle(Request request, Response response) {
	        String[] parts = request.getPath().getPath().split("/");
	        try {
	            byte[] body = answer(parts[1], parts[2]).getBytes(StandardCharsets.UTF_8);
	            response.setContentLength(body.length);
	            PrintStream out = response.getPrintStream();
	            out.write(body, 0, body.length);
	            out.close();
	        } catch (Exception failed) {
	            System.out.println(failed);
	        }
	    }

	    public static void main(String[] args) throws Exception {
	        makeShop();
	        new Thread(Shop::keepShop, "keeper").start();
	        new SocketConnection(new Shop()).connect(new InetSocketAddress("127.0.0.1", $port));
	    }
	}
	JAVA
	"${with_names[@]}" "$program" -Xmx512m -cp /usr/share/java/simple.jar:/usr/share/java/hsqldb.jar "$work/Shop.java" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
