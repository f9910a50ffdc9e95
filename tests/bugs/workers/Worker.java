// SPDX-License-Identifier: GPL-2.0-only
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** The functions of Serve as jobs of a queue in Redis: see ../workers.py. */
public class Worker implements Runnable {
	private static int port;
	private InputStream in;
	private OutputStream out;

	private String line() throws IOException {
		StringBuilder text = new StringBuilder();
		for (int c = in.read(); c != '\n'; c = in.read()) {
			if (c < 0) {
				Runtime.getRuntime().halt(0);
			}
			text.append((char) c);
		}
		return text.toString().trim();
	}

	/** The last text of what Redis answers. */
	private String ask(String... words) throws IOException {
		StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
		for (String word : words) {
			text.append("$").append(word.length()).append("\r\n").append(word).append("\r\n");
		}
		out.write(text.toString().getBytes());
		String last = line();
		int texts = last.startsWith("*") ? Integer.parseInt(last.substring(1)) : 0;
		for (int i = 0; i < texts; i++) {
			line();
			last = line();
		}
		return last;
	}

	private static void processJob(String kind) throws IOException {
		Serve.run("/" + kind);
	}

	private void connect() throws InterruptedException {
		while (in == null) {
			try {
				Socket broker = new Socket("127.0.0.1", port);
				broker.setTcpNoDelay(true);
				out = broker.getOutputStream();
				in = new BufferedInputStream(broker.getInputStream());
			} catch (IOException e) {
				Thread.sleep(20); // the broker begins later
			}
		}
	}

	@Override
	public void run() {
		try {
			connect();
			for (;;) {
				processJob(ask("BLPOP", "jobs", "0"));
				ask("INCR", "done");
			}
		} catch (IOException | InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	public static void main(String[] args) {
		port = Serve.begin(args);
		for (int i = 0; i < 4; i++) {
			new Thread(new Worker(), "worker-" + i).start();
		}
	}
}
