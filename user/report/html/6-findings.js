/* SPDX-License-Identifier: GPL-2.0-only */
/* All findings with their evidence, and the candidates that were almost findings. */
const kindWords = {
	time: "runs longer", calls: "makes a call more often", wait: "sleeps longer", "holds-lock": "holds a lock",
	"makes-wait": "keeps others waiting", hang: "hangs", spin: "spins",
};

function findingTimes(index) {
	const finding = report.findings[index], at = "findings." + index + ".";

	if (finding.units === undefined)
		return make("p", null, finding.who !== "thread" ? formatCount(finding.threads) + " " + finding.who + (finding.threads > 1 ? "s" : "") + ", for " :
			"Thread " + finding.thread.name + " (tid " + finding.thread.tid + ")" +
			(finding.threads > 1 ? " and " + formatCount(finding.threads - 1) + " more" : "") + ", for ",
		figure(at + "age_ns", "time"), finding.lock ? ", on a lock" : "", finding.unsure ? "; it may be idle" : "",
		finding.rounds ? ": " + callName(finding.rounds.call !== null ? finding.rounds.call : finding.rounds.poll) + ", " +
			formatCount(finding.rounds.rounds_per_s) + " times a second" : "", ".");
	return make("p", null, figure(at + "units", "count"), (report.findings[index].units === 1 ? " slow one" : " slow ones") + ": median ", figure(at + "p50_ns", "time"), ", p95 ",
		figure(at + "p95_ns", "time"), ", p99 ", figure(at + "p99_ns", "time"), "; a normal one takes ",
		figure(at + "usual_ns", "time"), ".");
}

function findingSource(finding) {
	const rows = finding.source.filter(place => place.lines.length);

	if (!rows.length)
		return null;
	return make("div", null, make("h3", null, "Source"), make("ul", { class: "stack" }, rows.map(place =>
		make("li", null, make("span", { class: "name" }, place.lines[0].file + ":" + place.lines[0].line),
			" " + formatShare(place.share), place.lines.slice(1).map(line =>
				make("span", { class: "soft" }, " ← " + line.file + ":" + line.line))))),
		findingLoop(finding.source_loop), findingLines(finding));
}

function findingLoop(loop) {
	return loop && make("p", null, "Loop: " + loop.file + ":" + loop.first + (loop.last > loop.first ? "-" + loop.last : "") +
		(loop.inlined ? " in " + loop.inlined : "") + ", " + formatShare(loop.share) + ".");
}

/* Lines with their text. Those with the most time are marked. Nothing if no text could be read. */
function findingLines(finding) {
	const lines = finding.source_lines.filter(line => line.text !== null);

	if (!lines.length)
		return finding.source_lines_why ? make("p", { class: "soft" }, "No text: " + finding.source_lines_why + ".") : null;
	return make("div", { class: "table" }, make("table", null, lines.map(line => make("tr", null,
		make("td", { class: "soft" }, line.share > 0 ? formatShare(line.share) : ""),
		make("td", { class: "soft" }, line.inlined ? line.inlined + " " + line.line : String(line.line)),
		make("td", { class: "name source" }, line.text)))));
}

function findingHints(finding) {
	return finding.hints.map(hint => make("p", null, "Hint: " + (hint.file ? hint.file + ":" + hint.line + ": " : "") +
		hint.text + "."));
}

function findingStack(finding) {
	if (!finding.call_path.length)
		return null;
	return make("div", null, make("h3", null, "Call path, the innermost first"), make("ol", { class: "stack" },
		finding.call_path.map(name => make("li", { class: "name" }, name))));
}

function findingMore(index) {
	const finding = report.findings[index], at = "findings." + index + ".", made = [];

	if (finding.waiters)
		made.push(make("p", null, "Who waits: " + finding.waiters.group + " ×" + formatCount(finding.waiters.threads) +
			", for " + finding.waiters.thread.name + " (tid " + finding.waiters.thread.tid + ")."));
	if (finding.in_kernel.length)
		made.push(make("p", null, "In the kernel: " + finding.in_kernel.slice(0, 6).map(one =>
			one.name + " " + formatShare(one.share)).join(", ") + "."));
	if (finding.kind === "hang")
		made.push(make("p", { class: "soft" }, finding.by_stacks ? "Stacks show where it is" : "No stack shows where it is",
			"; confidence ", figure(at + "confidence", "text"), "."));
	else
		made.push(make("p", { class: "soft" }, figure(at + "samples", "count"), (finding.samples === 1 ? " sample" : " samples") + " and ", figure(at + "sleeps", "count"),
		(finding.sleeps === 1 ? " sleep" : " sleeps") + " name it" + (finding.by_signature ? ", and a signature" : "") + "; confidence ", figure(at + "confidence", "text"),
		finding.of_slow ? [", in ", figure(at + "of_slow", "share"), " of the slow ones' time and ", figure(at + "of_normal", "share"),
			" of normal ones'"] : "",
		finding.lost ? ", " + formatCount(finding.lost) + " events were lost while it showed" : "", "."));
	if (finding.held_up && finding.held_up.effect)
		made.push(make("p", null, "Held up on purpose: the effect is " + finding.held_up.effect + "."));
	return made;
}

function findingBox(finding, index) {
	const name = finding.function ? finding.function.module : null;

	return make("details", { class: "finding", open: index < 3 ? "" : null },
		make("summary", null, make("h3", null, (index + 1) + " ", make("span", { class: "name" }, functionName(finding))),
			make("span", { class: "soft" }, (name ? " in " + name : "") + " · " + kindWords[finding.kind] +
				(finding.syscall !== null && finding.kind !== "time" && finding.kind !== "spin" ? ", in " + callName(finding.syscall) : "") +
				(finding.outside ? ", for something outside" : "") + " · "),
			figure("findings." + index + ".share", "share"),
			make("span", { class: "soft" }, finding.units === undefined ? " of the threads that hang or spin" : " of the extra time")),
		findingTimes(index), findingHints(finding), findingSource(finding), findingStack(finding), findingMore(index));
}

if (report.findings.length) {
	const place = section("Findings", null);

	place.id = "findings";
	place.append(...report.findings.map(findingBox));
}

if (report.near.length)
	section("Nearest to a finding", "They fell short of one rule.").append(make("div", { class: "table" }, make("table", null,
		make("tr", null, ["function", "share of the extra time", "slow ones", "falls short of"].map(title => make("th", null, title))),
		report.near.map((near, index) => make("tr", null,
			make("td", { class: "name" }, functionName(near)),
			make("td", null, figure("near." + index + ".share", "share")),
			make("td", null, figure("near." + index + ".units", "count")),
			make("td", null, near.fails))))));

if (report.usual.functions.length && !report.findings.length) {
	const place = section("Where " + (report.usual.requests ? "usual requests" : "usual rounds of work") + " spend their time",
		"If all of them are slow, the cause is among these functions.");

	place.append(make("p", null, "One takes ", figure("usual.mean_ns", "time"), " on average, of ", figure("usual.units", "count"), "."),
		make("div", { class: "table" }, make("table", null,
			make("tr", null, ["function", "share of the time", "of it asleep", "sleeps in"].map(title => make("th", null, title))),
			report.usual.functions.map((one, index) => make("tr", null,
				make("td", { class: "name" }, functionName(one)),
				make("td", null, figure("usual.functions." + index + ".share", "share")),
				make("td", null, figure("usual.functions." + index + ".asleep_share", "share")),
				make("td", { class: "name" }, one.sleeps_in || ""))))));
}
