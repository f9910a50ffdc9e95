/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks that threads waited for, and between which calls latencies vary. */
const sharesOf = sites => sites.slice(0, 3).map(site => site.name + " " + formatShare(site.share)).join(", ");

if (report.deadlocks.length)
	section(report.deadlocks.length > 1 ? "Circles of waiting threads" : "A circle of waiting threads", "A deadlock: none of them goes on.").append(make("ul", { class: "stack" },
		report.deadlocks.map(circle => make("li", null, circle.map((one, at) => (at ? "; " : "") + one.thread.name +
			" (tid " + one.thread.tid + ") waits for the lock " + one.waits_for + ", which " +
			(one.owner.tid === one.thread.tid ? "it holds itself" : one.owner.name + " (tid " + one.owner.tid + ") holds")).join("") + "."))));

if (report.locks && report.locks.length) {
	const place = section("Locks", "Those that threads waited for longest while they had work to do.");

	place.id = "locks";
	place.append(make("div", { class: "table" }, make("table", null,
		make("tr", null, ["lock", "waited", "times", "median", "longest", "waits in", "held in", "had it last"].map((title, at) =>
			make("th", at > 0 && at < 5 ? { class: "number" } : null, title))),
		report.locks.slice(0, 10).map((lock, index) => {
			const at = "locks." + index + ".";

			return make("tr", null,
				make("td", { class: "name" }, (lock.kind || "futex") + " " + lock.address),
				make("td", { class: "number" }, figure(at + "wait_ns", "time")),
				make("td", { class: "number" }, figure(at + "waits.count", "count")),
				make("td", { class: "number" }, figure(at + "waits.p50_ns", "time")),
				make("td", { class: "number" }, figure(at + "waits.longest_ns", "time")),
				make("td", { class: "name" }, sharesOf(lock.waits_in)),
				make("td", { class: "name" }, sharesOf(lock.held_in)),
				make("td", null, lock.has_most ? lock.has_most.name + " (tid " + lock.has_most.tid + ")" : ""));
		}))));
	if (report.locks_seen.locks > Math.min(10, report.locks.length))
		place.append(make("p", { class: "soft" }, "Of ", figure("locks_seen.locks", "count"), " locks; all waits for them took ",
			figure("locks_seen.wait_ns", "time"), "."));
}

if (report.variance && report.variance.some(kind => kind.edges.some(edge => edge.share >= 0.05))) {
	const place = section("Where latencies vary", "Between which calls of a request, and in which functions. Shares are of the variance.");

	place.id = "variance";
	place.append(make("div", { class: "table" }, make("table", null,
		make("tr", null, ["threads", "requests", "median", "p99", "between", "share", "of the tail", "functions"].map((title, at) =>
			make("th", [1, 2, 3, 5, 6].includes(at) ? { class: "number" } : null, title))),
		report.variance.flatMap((kind, index) => kind.edges.map((edge, row) => [edge, row])
			.filter(([edge]) => edge.share >= 0.05).slice(0, 4).map(([edge, row], first) => {
				const at = "variance." + index + ".";

				return make("tr", null, make("td", { class: "name" }, first ? "" : kind.group),
					make("td", { class: "number" }, first ? "" : figure(at + "requests", "count")),
					make("td", { class: "number" }, first ? "" : figure(at + "p50_ns", "time")),
					make("td", { class: "number" }, first ? "" : figure(at + "p99_ns", "time")),
					make("td", { class: "name" }, edge.edge),
					make("td", { class: "number" }, figure(at + "edges." + row + ".share", "share")),
					make("td", { class: "number" }, figure(at + "edges." + row + ".tail_share", "share")),
					make("td", { class: "name" }, edge.functions.slice(0, 2).map(one => one.function.name).join(", ")));
			})))));
}
