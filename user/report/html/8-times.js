/* SPDX-License-Identifier: GPL-2.0-only */
/* How the threads spent their time, their waits, all other parts of the report, and the data that it is based on. */
function groupParts(group) {
	return [["run", "runs", group.run_ns], ["queue", "waits for a CPU", group.queue_ns]]
		.concat(Object.keys(group.blocked_ns).map(name =>
			["w-" + (name === "page fault" ? "fault" : name), name, group.blocked_ns[name]]),
		[["unknown-time", "not explained", group.unexplained_ns]]);
}

function groupBar(group) {
	const bar = make("div", { class: "bar" });

	for (const [style, name, ns] of groupParts(group)) {
		const part = make("i", { class: style, title: name + " " + formatShare(ns / Math.max(1, group.wall_ns)) });

		part.style.width = 100 * Math.max(0, ns) / Math.max(1, group.wall_ns) + "%";
		bar.append(part);
	}
	return bar;
}

if (report.groups.length) {
	const place = section("Where the time went", "By name of the threads, of the window.");
	const used = new Map();

	for (const group of report.groups)
		for (const [style, name, ns] of groupParts(group))
			if (ns > 0.001 * group.wall_ns)
				used.set(style, name);
	place.append(keys(Array.from(used)), make("div", { class: "table", id: "groups" }, make("table", null,
		make("tr", null, ["threads", "", "wall", "runs", "waits for a CPU", "most of the rest"].map((title, at) =>
			make("th", at > 1 && at < 5 ? { class: "number" } : null, title))),
		report.groups.map((group, index) => {
			const most = Object.keys(group.blocked_ns).sort((a, b) => group.blocked_ns[b] - group.blocked_ns[a])[0];
			const at = "groups." + index + ".", wall = Math.max(1, group.wall_ns);

			return make("tr", null,
				make("td", null, make("span", { class: "name" }, group.name), " ×", figure(at + "threads", "count")),
				make("td", null, groupBar(group)),
				make("td", { class: "number" }, figure(at + "wall_ns", "time")),
				make("td", { class: "number" }, figure(at + "run_ns", "time")),
				make("td", { class: "number" }, figure(at + "queue_ns", "time")),
				make("td", null, most && group.blocked_ns[most] > 0 ? most + " " + formatShare(group.blocked_ns[most] / wall) : ""));
		}))));
}

/* A value of any form: a table of similar objects, a list, or a text. Fields of time are known by the end of their names. */
function anything(value, name) {
	if (value === null)
		return "–";
	if (Array.isArray(value))
		return value.length && value.every(one => one && typeof one === "object" && !Array.isArray(one)) ?
			tableOf(value) : value.length ? make("span", null, value.map((one, at) => [at ? ", " : "", anything(one, name)]).flat()) : "–";
	if (typeof value === "object")
		return make("table", null, Object.keys(value).map(key => make("tr", null, make("th", null, key.replace(/_ns$/, "").replace(/_/g, " ")),
			make("td", null, anything(value[key], /_ns$/.test(name) ? "_ns" : key)))));
	if (typeof value === "number")
		return /(^|_)ns$/.test(name) ? formatTime(value) : /share$/.test(name) ? formatShare(value) :
			Number.isInteger(value) ? formatCount(value) : String(Number(value.toPrecision(4)));
	return String(value);
}

function tableOf(rows) {
	const columns = Array.from(new Set(rows.flatMap(row => Object.keys(row))));

	return make("div", { class: "table" }, make("table", null,
		make("tr", null, columns.map(column => make("th", null, column.replace(/_ns$/, "").replace(/_/g, " ")))),
		rows.slice(0, 100).map(row => make("tr", null, columns.map(column =>
			make("td", null, column in row ? anything(row[column], column) : ""))))));
}

/* Parts that a later version adds are shown without a special format. */
const shownParts = new Set(["schema", "scope", "trace", "verdict", "reason", "beside", "since_ns", "growth", "findings", "freezes", "near",
	"groups", "basis", "problems", "answer", "next", "pictures", "usual", "live", "names_first", "outside", "stuck_threads", "since_wall_ns", "kept_waiting", "waits", "bottlenecks", "uneven", "server", "changes",
	"headline", "locks", "locks_seen", "variance", "causes", "decided_by", "kernel", "background", "causal",
	"triggered", "explained", "requests", "deadlocks"]);

if (report.causes.length)
	section("Outside of the program", null).append(make("ul", { class: "stack" },
		report.causes.map(cause => make("li", null, cause.says + " " + cause.remedy))));

for (const name of Object.keys(report))
	if (!shownParts.has(name) && report[name] !== null && !(Array.isArray(report[name]) && !report[name].length))
		section(name.charAt(0).toUpperCase() + name.slice(1).replace(/_/g, " "), null).append(anything(report[name], name));

if (report.problems.length || report.trace.damage)
	section("What could not be read", null).append(make("ul", { class: "stack" },
		(report.trace.damage ? [report.trace.damage] : []).concat(report.problems).map(text => make("li", null, text))));

{
	const place = section("What the answer rests on", null);

	place.append(make("p", null, figure("basis.requests", "count"), " requests",
		report.basis.units > report.basis.requests ? [", with rounds of background work ", figure("basis.units", "count")] : null,
		", of ", figure("basis.populations", "count"), report.basis.populations === 1 ? " kind; " : " kinds; ",
		figure("basis.stacks", "count"), " stacks",
		report.basis.discarded_units ? ["; ", figure("basis.discarded_units", "count"), " left out because events around them were lost"] : null,
		".", report.decided_by ? " The verdict is by the rule “" + report.decided_by + "”." : null),
	make("details", null, make("summary", null, "all figures"), anything(report.basis, "basis"), anything(report.trace, "trace")));
}

document.documentElement.classList.add("scripted");
