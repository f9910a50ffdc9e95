<%-- SPDX-License-Identifier: GPL-2.0-only --%><%-- What most requests ask for. --%>
<%@ page session="false" contentType="text/html" %><%!
	static String renderPage(int id) {
		StringBuilder text = new StringBuilder("<h1>page " + id + "</h1>");
		for (int i = 0; i < 200; i++)
			text.append("<i>word").append(i * id % 97).append("</i> ");
		return text.toString();
	}
%><%= renderPage(Integer.parseInt(request.getParameter("id"))) %>
