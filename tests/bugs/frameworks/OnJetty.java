// SPDX-License-Identifier: GPL-2.0-only
import java.io.IOException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** The functions of Serve in a handler of Jetty: see ../frameworks.py. */
public class OnJetty extends AbstractHandler {
	@Override
	public void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response) throws IOException {
		byte[] text = Serve.run(target);
		response.setContentLength(text.length);
		response.getOutputStream().write(text);
		base.setHandled(true);
	}

	public static void main(String[] args) throws Exception {
		Server server = new Server(Serve.begin(args));
		server.setHandler(new OnJetty());
		server.start();
		server.join();
	}
}
