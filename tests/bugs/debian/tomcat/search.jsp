<%-- SPDX-License-Identifier: GPL-2.0-only --%><%-- Looks whether a query is well-formed; with the bug, by trying all ways to split it. --%>
<%@ page session="false" contentType="text/html" %><%!
	static final String WORDS = "matches".equals(System.getProperty("bug")) ? "(.*a){10}" : "(\\w+\\s?)*";

	static boolean checkQuery(String query) {
		return query.matches(WORDS);
	}
%><%= checkQuery(request.getParameter("q")) %>
