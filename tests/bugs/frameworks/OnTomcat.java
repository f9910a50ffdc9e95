// SPDX-License-Identifier: GPL-2.0-only
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** The functions of Serve in a servlet of Tomcat: see ../frameworks.py. */
public class OnTomcat extends HttpServlet {
	@Override
	protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
		byte[] text = Serve.run(request.getRequestURI());
		response.setContentLength(text.length);
		response.getOutputStream().write(text);
	}

	public static void main(String[] args) throws Exception {
		Tomcat tomcat = new Tomcat();
		tomcat.setBaseDir(args[2]);
		tomcat.setHostname("127.0.0.1");
		tomcat.setPort(Serve.begin(args));
		tomcat.getConnector().setProperty("address", "127.0.0.1");
		Context context = tomcat.addContext("", args[2]);
		Tomcat.addServlet(context, "shop", new OnTomcat());
		context.addServletMappingDecoded("/*", "shop");
		tomcat.start();
		tomcat.getServer().await();
	}
}
