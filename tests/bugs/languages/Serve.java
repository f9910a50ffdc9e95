// SPDX-License-Identifier: GPL-2.0-only
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/** A web server in Java, of which each path but / is a bug of its own: see languages.py. */
public class Serve {
	interface Work {
		int run() throws Exception;
	}

	static final Object ledger = new Object();
	static final LinkedBlockingQueue<CompletableFuture<Integer>> orders = new LinkedBlockingQueue<>();
	static final String words = "the quick brown fox jumps over the lazy dog ".repeat(3000);
	static final List<Integer> visits = new ArrayList<>();
	static volatile boolean flag;
	static String peer, folder;

	static int usual() {
		int sum = 0;
		synchronized (ledger) {
			for (int i = 0; i < 20000; i++)
				sum += i * i ^ sum;
		}
		return sum;
	}

	static int countWords() {
		int n = 0;
		for (int round = 0; round < 100; round++)
			for (int i = 0; i < words.length(); i++)
				if (words.charAt(i) == (char) (32 + round % 3))
					n++;
		return n;
	}

	static int matchRules() { return Pattern.matches("(a|aa)+$", "a".repeat(32) + "b") ? 1 : 0; }

	static int packReport() {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < 60000; i++)
			text.append("{\"a\":").append(i).append(",\"b\":").append(i * 2).append("}");
		return text.length();
	}

	static int sortPrices() {
		List<Integer> list = new ArrayList<>();
		for (int i = 0; i < 60000; i++)
			list.add(i * 7919 % 60013);
		Collections.sort(list);
		return list.get(0);
	}

	/** Holds the lock while it sleeps; others wait for it. */
	static int writeLedger() throws InterruptedException {
		synchronized (ledger) {
			Thread.sleep(20);
		}
		return 0;
	}

	static int takeNap() throws InterruptedException {
		Thread.sleep(20);
		return 0;
	}

	static int readPages() throws IOException {
		int n = 0;
		for (int i = 0; i < 400; i++)
			n += Files.readAllBytes(Path.of("/etc/passwd")).length;
		return n;
	}

	static int runHook() throws Exception { return new ProcessBuilder("sleep", "0.02").start().waitFor(); }

	static int ask(String what) throws IOException {
		String[] at = peer.split(":");
		try (Socket socket = new Socket(at[0], Integer.parseInt(at[1]))) {
			socket.getOutputStream().write(what.getBytes());
			return socket.getInputStream().read();
		}
	}

	static int askPeer() throws IOException { return ask("slow\n"); }

	static int makeCopies() {
		String text = "";
		for (int i = 0; i < 500; i++)
			text += words.substring(0, 200);
		return text.length();
	}

	static int saveNote() throws IOException {
		try (FileOutputStream file = new FileOutputStream(folder + "/note")) {
			for (int i = 0; i < 20; i++) {
				file.write(10);
				file.getFD().sync();
			}
		}
		return 0;
	}

	static int askPacker() throws Exception {
		CompletableFuture<Integer> answer = new CompletableFuture<>();
		orders.put(answer);
		return answer.get();
	}

	static void packOrders() {
		try {
			for (;;) {
				CompletableFuture<Integer> answer = orders.take();
				Thread.sleep(20);
				answer.complete(1);
			}
		} catch (InterruptedException e) {
			Thread.currentThread().interrupt();
		}
	}

	static int parseOrders() throws Exception {
		List<String> list = new ArrayList<>();
		for (int i = 0; i < 20000; i++)
			list.add("order " + i);
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		new ObjectOutputStream(out).writeObject(list);
		return ((List<?>) new ObjectInputStream(new ByteArrayInputStream(out.toByteArray())).readObject()).size();
	}

	static int packFiles() throws IOException {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		try (GZIPOutputStream packer = new GZIPOutputStream(out)) {
			packer.write(words.repeat(16).getBytes());
		}
		return out.size();
	}

	static int formatRows() {
		int n = 0;
		for (int i = 0; i < 8000; i++)
			n += String.format("%8d %-10s %.2f", i, "row", 1.5).length();
		return n;
	}

	/** Holds the lock while it writes; others wait for it. */
	static int writeBook() throws IOException {
		synchronized (ledger) {
			try (FileOutputStream file = new FileOutputStream(folder + "/book")) {
				for (int i = 0; i < 20; i++) {
					file.write(10);
					file.getFD().sync();
				}
			}
		}
		return 0;
	}

	static int statPaths() {
		int n = 0;
		for (int i = 0; i < 6000; i++)
			n += Files.exists(Path.of("/usr/share/none")) ? 1 : 0;
		return n;
	}

	static int fail(int depth) { return depth == 0 ? Integer.parseInt("none") : fail(depth - 1) + 1; }

	static int raiseErrors() {
		int n = 0;
		for (int i = 0; i < 1500; i++)
			try {
				n += fail(30);
			} catch (NumberFormatException e) {
				n++;
			}
		return n;
	}

	static int pollAnswer() throws Exception {
		CompletableFuture<Integer> answer = new CompletableFuture<Integer>().completeOnTimeout(1, 20, TimeUnit.MILLISECONDS);
		while (!answer.isDone())
			Thread.onSpinWait();
		return answer.get();
	}

	static int sweepHeap() {
		for (int i = 0; i < 3; i++)
			System.gc();
		return 0;
	}

	static synchronized int findVisit() {
		for (int i = 0; i < 100; i++)
			visits.add(i);
		return visits.indexOf(-1);
	}

	static synchronized int readJournal() throws IOException {
		Path journal = Path.of(folder, "journal");
		Files.writeString(journal, "a visit\n".repeat(20), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		try (BufferedReader reader = Files.newBufferedReader(journal)) {
			int lines = 0;
			while (reader.readLine() != null)
				lines++;
			return lines;
		}
	}

	static int hashParts() throws Exception {
		MessageDigest digest = MessageDigest.getInstance("SHA-256");
		for (int i = 0; i < 60; i++)
			digest.update(words.getBytes());
		return digest.digest()[0];
	}

	static int takeLock() throws InterruptedException {
		ReentrantLock lock = new ReentrantLock();
		Thread holder = new Thread(lock::lock);
		holder.start();
		holder.join();
		lock.lock();
		return 0;
	}

	static int takeShared() throws InterruptedException {
		new Semaphore(0).acquire();
		return 0;
	}

	static int waitAnswer() throws Exception { return new CompletableFuture<Integer>().get(); }

	static int waitAny() throws InterruptedException {
		Object own = new Object();
		synchronized (own) {
			own.wait();
		}
		return 0;
	}

	static int waitGroup() throws InterruptedException {
		new CountDownLatch(1).await();
		return 0;
	}

	static int waitChild() throws Exception { return new ProcessBuilder("sleep", "1000").start().waitFor(); }

	static int readPeer() throws IOException { return ask("never\n"); }

	static int spinOn() {
		while (!flag)
			;
		return 0;
	}

	static int awaitFlag() throws InterruptedException {
		while (!flag)
			Thread.sleep(20);
		return 0;
	}

	static int readFifo() throws Exception {
		new ProcessBuilder("mkfifo", "-m", "600", folder + "/fifo").start().waitFor();
		try (FileInputStream file = new FileInputStream(folder + "/fifo")) {
			return file.read();
		}
	}

	static final Map<String, Work> kinds = Map.ofEntries(
		Map.entry("countWords", Serve::countWords), Map.entry("matchRules", Serve::matchRules), Map.entry("packReport", Serve::packReport),
		Map.entry("sortPrices", Serve::sortPrices), Map.entry("writeLedger", Serve::writeLedger), Map.entry("takeNap", Serve::takeNap),
		Map.entry("readPages", Serve::readPages), Map.entry("runHook", Serve::runHook), Map.entry("askPeer", Serve::askPeer),
		Map.entry("makeCopies", Serve::makeCopies), Map.entry("saveNote", Serve::saveNote), Map.entry("askPacker", Serve::askPacker),
		Map.entry("hashParts", Serve::hashParts), Map.entry("parseOrders", Serve::parseOrders), Map.entry("packFiles", Serve::packFiles),
		Map.entry("formatRows", Serve::formatRows), Map.entry("writeBook", Serve::writeBook), Map.entry("statPaths", Serve::statPaths),
		Map.entry("raiseErrors", Serve::raiseErrors), Map.entry("pollAnswer", Serve::pollAnswer), Map.entry("sweepHeap", Serve::sweepHeap),
		Map.entry("findVisit", Serve::findVisit), Map.entry("readJournal", Serve::readJournal),
		Map.entry("takeLock", Serve::takeLock), Map.entry("takeShared", Serve::takeShared),
		Map.entry("waitAnswer", Serve::waitAnswer), Map.entry("waitAny", Serve::waitAny), Map.entry("waitGroup", Serve::waitGroup),
		Map.entry("waitChild", Serve::waitChild), Map.entry("readPeer", Serve::readPeer), Map.entry("spinOn", Serve::spinOn),
		Map.entry("awaitFlag", Serve::awaitFlag), Map.entry("readFifo", Serve::readFifo));

	static byte[] run(String path) throws IOException {
		int n = usual();
		Work work = kinds.get(path.substring(1));
		try {
			n += work == null ? 0 : work.run();
		} catch (Exception e) {
			throw new IOException(e);
		}
		return (n + "\n").getBytes();
	}

	static void answer(HttpExchange request) throws IOException {
		byte[] text = run(request.getRequestURI().getPath());
		request.sendResponseHeaders(200, text.length);
		request.getResponseBody().write(text);
		request.close();
	}

	/** What requests need; the servers of ../frameworks/ do so, too. */
	static int begin(String[] args) {
		peer = args[1];
		folder = args[2];
		Thread packer = new Thread(Serve::packOrders, "packer");
		packer.start();
		return Integer.parseInt(args[0]);
	}

	public static void main(String[] args) throws IOException {
		int port = begin(args);
		HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
		server.createContext("/", Serve::answer);
		server.setExecutor(Executors.newFixedThreadPool(8));
		server.start();
	}
}
