// SPDX-License-Identifier: GPL-2.0-only
// A service on plain node:http: pages, a search, accounts with sessions; one bug, named in BUG.
// Environment: PORT, BUG (none, regex, sessions, sync).
"use strict";
const crypto = require("node:crypto");
const http = require("node:http");

const bug = process.env.BUG;
const pages = [];
for (let i = 1; i <= 40; i++)
	pages.push({ id: i, title: "page " + i, words: Array.from({ length: 60 }, (_, n) => "word" + ((n * i) % 97)) });
const sessions = Array.from({ length: 8000 }, (_, n) => ({ user: n, at: n, cart: ["a", "b", "c"] }));

function renderPage(id) {
	const page = pages[id % pages.length];
	return "<h1>" + page.title + "</h1><p>" + page.words.map((word) => "<i>" + word + "</i>").join(" ") + "</p>";
}

// Nested repetition: a text that does not match is split in all possible ways.
function checkQuery(query) {
	const words = bug === "regex" ? /^(\w+\s?)*$/ : /^\w+(\s\w+)*$/;
	return words.test(query);
}

// What is kept grows with each visit, and all of it is written down each time.
function saveSession(user) {
	sessions.push({ user, at: sessions.length, cart: ["a", "b", "c"] });
	return JSON.stringify(bug === "sessions" ? sessions : sessions.at(-1)).length;
}

// Blocks the only thread: pbkdf2() would not.
function hashPassword(password, done) {
	if (bug === "sync")
		done(crypto.pbkdf2Sync(password, "salt", 12000, 32, "sha256").toString("hex"));
	else
		crypto.pbkdf2(password, "salt", 12000, 32, "sha256", (error, key) => done(key.toString("hex")));
}

http.createServer((request, response) => {
	const url = new URL(request.url, "http://localhost");
	const end = (text) => response.end(text);
	switch (url.pathname) {
	case "/search":
		return end(checkQuery(url.searchParams.get("q")) ? "ok" : "no");
	case "/visit":
		return end("bytes " + saveSession(url.searchParams.get("user")));
	case "/login":
		return hashPassword(url.searchParams.get("user"), end);
	default:
		return end(renderPage(parseInt(url.pathname.slice(5), 10) || 0));
	}
}).listen(parseInt(process.env.PORT, 10), "127.0.0.1");
