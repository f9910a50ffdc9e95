<%-- SPDX-License-Identifier: GPL-2.0-only --%><%-- Some requests append to a ledger, all others read its length; with the bug each line is synced under their lock. --%>
<%@ page session="false" contentType="text/html" import="java.io.FileOutputStream, java.io.IOException" %><%!
	static final boolean SAFE = "ledger".equals(System.getProperty("bug"));
	static final Object lock = new Object();
	static FileOutputStream file;
	static int lines;

	static void appendLedger(String id) throws IOException {
		synchronized (lock) {
			if (file == null)
				file = new FileOutputStream(System.getProperty("catalina.base") + "/ledger");
			for (int i = 0; i < 8; i++) {
				file.write(("order " + id + "\n").getBytes());
				if (SAFE)
					file.getFD().sync();
				lines++;
			}
		}
	}

	static int readLedger() {
		synchronized (lock) {
			return lines;
		}
	}
%><% if (request.getParameter("add") != null) appendLedger(request.getParameter("add")); %><%= readLedger() %>
