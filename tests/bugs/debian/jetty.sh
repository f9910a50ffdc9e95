# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's Jetty (Java), which reads serialized objects, and lends what its handlers need. Sourced by start.sh.

# Sets within sets are refused, or not; what was lent is given back whatever happens, or not.
server_jetty() {
	local depth=5 back=true one classes=
	[ "$name" != blind6-jetty-sets ] || depth=100000
	[ "$name" != blind6-jetty-pool ] || back=false
	for one in jetty9-{server,http,io,util} servlet-api commons-pool2; do
		classes+=:/usr/share/java/$one.jar
	done
	cat >"$work/Shop.java" <<-JAVA
	import java.io.*;
	import java.nio.file.*;
	import java.util.*;
	import javax.servlet.http.*;
	import org.apache.commons.pool2.*;
	import org.apache.commons.pool2.impl.*;
	import org.eclipse.jetty.server.*;
	import org.eclipse.jetty.server.handler.AbstractHandler;

	public class Shop extends AbstractHandler {
	    static class Desks extends BasePooledObjectFactory<StringBuilder> {
	        public StringBuilder create() { return new StringBuilder(); }
	        public PooledObject<StringBuilder> wrap(StringBuilder one) { return new DefaultPooledObject<>(one); }
	    }

	    final GenericObjectPool<StringBuilder> desks = new GenericObjectPool<>(new Desks());

	    String takeOrder(InputStream in) throws Exception {
	        ObjectInputStream objects = new ObjectInputStream(in);
	        objects.setObjectInputFilter(ObjectInputFilter.Config.createFilter("maxdepth=$depth"));
	        return "order of " + ((Set<?>) objects.readObject()).size();
	    }

	    String writeReport(String part) throws Exception {
	        StringBuilder desk = desks.borrowObject();
	        if ($back) {
	            try {
	                return desk.append(Integer.parseInt(part)).toString();
	            } finally {
	                desks.returnObject(desk);
	            }
	        }
	        String report = desk.append(Integer.parseInt(part)).toString();
	        desks.returnObject(desk);
	        return report;
	    }

	    public void handle(String path, Request base, HttpServletRequest request, HttpServletResponse response) throws IOException {
	        String body;
	        try {
	            if (path.equals("/order"))
	                body = takeOrder(request.getInputStream());
	            else if (path.startsWith("/report/"))
	                body = writeReport(path.substring(8));
	            else
	                body = "page " + path.length();
	        } catch (Exception refused) {
	            body = "no";
	        }
	        response.setContentType("text/plain");
	        response.getWriter().print(body);
	        base.setHandled(true);
	    }

	    static void keep(Object one, String where) throws Exception {
	        try (ObjectOutputStream out = new ObjectOutputStream(new FileOutputStream(where))) {
	            out.writeObject(one);
	        }
	    }

	    public static void main(String[] args) throws Exception {
	        Set<Object> root = new HashSet<>(), first = root, second = new HashSet<>(), few = new HashSet<>();
	        for (int i = 0; i < 15; i++) {
	            Set<Object> one = new HashSet<>(), other = new HashSet<>();
	            one.add("part");
	            first.add(one);
	            first.add(other);
	            second.add(one);
	            second.add(other);
	            first = one;
	            second = other;
	        }
	        for (int i = 0; i < 60; i++)
	            few.add("part " + i);
	        keep(root, "$work/far");
	        keep(few, "$work/near");
	        Server server = new Server();
	        ServerConnector connector = new ServerConnector(server, 1, 1);
	        connector.setHost("127.0.0.1");
	        connector.setPort($port);
	        server.addConnector(connector);
	        server.setHandler(new Shop());
	        server.start();
	        server.join();
	    }
	}
	JAVA
	"$program" -Xmx256m -cp "${classes#:}" "$work/Shop.java" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
