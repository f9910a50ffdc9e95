/* SPDX-License-Identifier: GPL-2.0-only */
/* Which thread waits for which one, as a tree, and threads that others wait for again and again. */
const waitEnds = {
	runs: "runs", "no-cpu": "waits for a CPU", "no-cpu-own": "waits for a CPU that other threads of the program have",
	outside: "outside of the program", "other-process": "another process", circle: "one that is above already", unseen: "not seen",
};

function waitNode(wait, all) {
	const what = wait.end ? (wait.end === "outside" ? wait.class || "outside" : wait.group + " " + (waitEnds[wait.end] || wait.end)) :
		wait.group + (wait.call ? ", in " + callName(wait.call) : "");
	const functions = (wait.functions || []).slice(0, 4).map(one => one.name + " " + formatShare(one.share)).join(", ");

	return make("li", null, make("b", null, formatShare(wait.ns / Math.max(1, all))), " ", what,
		make("span", { class: "soft" }, " " + formatTime(wait.ns), functions ? ": " : "",
			functions ? make("span", { class: "name" }, functions) : null),
		wait.for && wait.for.length ? make("ul", { class: "stack" }, wait.for.map(next => waitNode(next, all))) : null);
}

if (report.waits && report.waits.length) {
	const place = section("Who waits for whom", "While there is work to do. Shares are of all that a group waits.");

	place.id = "waits";
	report.waits.forEach((wait, index) => place.append(make("p", null, make("b", null, wait.group), " waits for ",
		figure("waits." + index + ".ns", "time"),
		wait.work_ns > 0 ? [" of ", figure("waits." + index + ".work_ns", "time"), " with work to do"] : null, ":"),
	make("ul", { class: "stack" }, wait.for.map(next => waitNode(next, wait.ns)))));
}

if (report.bottlenecks && report.bottlenecks.length) {
	const place = section("Bottlenecks", "Others wait for these. Gain: the most that throughput can grow if it takes half as long.");

	place.append(make("div", { class: "table" }, make("table", null,
		make("tr", null, ["threads", "function", "share of the window", "gain", "waits most"].map(title => make("th", null, title))),
		report.bottlenecks.map((knot, index) => make("tr", null,
			make("td", null, knot.group),
			make("td", { class: "name" }, knot.function === null ? "" : typeof knot.function === "object" ? functionName(knot) : knot.function),
			make("td", null, figure("bottlenecks." + index + ".share", "share")),
			make("td", null, figure("bottlenecks." + index + ".gain", "share")),
			make("td", null, knot.waits_most))))));
}

if (report.uneven && report.uneven.length) {
	const place = section("Threads out of line with their group", "Each figure is of one request or round, or of such in a second.");
	const word = { slower: "is slower", "more-work": "gets more work", "waits-more": "waits more" };

	place.append(make("div", { class: "table" }, make("table", null,
		make("tr", null, ["thread", "tid", "what", "its own", "the others", "more in all"].map(title => make("th", null, title))),
		report.uneven.map((one, index) => make("tr", null,
			make("td", null, one.thread.name), make("td", null, String(one.thread.tid)),
			make("td", null, word[one.in] || one.in),
			make("td", null, one.in === "more-work" ? figure("uneven." + index + ".own", "count") : figure("uneven." + index + ".own", "time")),
			make("td", null, one.in === "more-work" ? figure("uneven." + index + ".usual", "count") : figure("uneven." + index + ".usual", "time")),
			make("td", null, figure("uneven." + index + ".extra_ns", "time")))))));
}
