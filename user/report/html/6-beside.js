/* SPDX-License-Identifier: GPL-2.0-only */
/* Statements beside the findings, and the time of requests by what they ask for. */
/* Statements that are not findings: time inside the kernel, background work, and why no function was delayed. */
function besideFindings() {
	const kernel = report.kernel, background = report.background, causal = report.causal, made = [];

	if (kernel)
		made.push(make("p", null, figure("kernel.share", "share"), " of the extra time was spent inside the kernel, in calls of ",
			make("span", { class: "name" }, functionName(kernel) + (kernel.below ? " to " + kernel.below.name : "")),
			" that were made as often as usual and with about as many bytes (", figure("kernel.units", "count"),
			" slow ones, ", figure("kernel.p50_ns", "time"), " instead of ", figure("kernel.usual_ns", "time"),
			"): a matter of the kernel, the network or the machine below it.",
			kernel.in_kernel.length ? " In the kernel: " + kernel.in_kernel.slice(0, 6).map(one =>
				one.name + " " + formatShare(one.share)).join(", ") + "." : null));
	if (background)
		made.push(make("p", null, "Background work is not judged by itself, only where requests wait for it: ",
			figure("background.slow_units", "count"), " of its ", figure("background.units", "count"),
			" rounds took long, most of them in threads ", figure("background.group", "text"), ", which serve no client."));
	if (causal)
		made.push(make("p", null, "Held up on purpose: ", causal.experiments ?
			[figure("causal.experiments", "count"), " of ", figure("causal.planned", "count"), " experiments, progress is ",
				figure("causal.progress", "text"), causal.ended ? "; ended: " + causal.ended : null, "."] :
			causal.why ? "nobody, " + causal.why : "nobody."));
	return made;
}

{
	const beside = besideFindings();

	if (beside.length)
		section("Beside the findings", null).append(...beside);
}

if (report.triggered && report.triggered.unit) {
	const place = section("What began the recording", report.triggered.why);

	place.append(scenePicture(report.triggered.unit, "Its work", report.triggered.unit.wall_ns, "triggered.unit"),
		make("h3", null, "Its calls"), pathList(report.triggered.unit));
}

/* How much of the time of work is explained by its calls or its bytes. */
function explainedItems() {
	return report.explained.map((one, index) => {
		const at = "explained." + index + ".";

		return make("li", null, one.by === "bytes" ? "Bytes read and written" : "System calls", " explain ", figure(at + "share", "share"),
			" of how long the work of ", figure(at + "group", "text"), " takes: ", formatTime(one.rate_ns * (one.by === "bytes" ? 1024 : 1)),
			" for each " + (one.by === "bytes" ? "KB" : "call"), one.base_ns >= 1 ? [", and ", figure(at + "base_ns", "time"), " besides"] : null, ".");
	});
}

if (report.requests.length || report.explained.length) {
	const place = section("What work takes, and by what", null);

	if (report.explained.length)
		place.append(make("ul", { class: "stack" }, explainedItems()));
	if (report.requests.length)
		place.append(make("div", { class: "table" }, make("table", null,
			make("tr", null, ["requests that ask for", "threads", "requests", "slow", "median", "p99", "on a CPU"].map((title, at) =>
				make("th", at > 1 ? { class: "number" } : null, title))),
			report.requests.map((one, index) => {
				const at = "requests." + index + ".";

				return make("tr", null, make("td", { class: "name" }, one.name), make("td", { class: "name" }, one.group),
					make("td", { class: "number" }, figure(at + "requests", "count")),
					make("td", { class: "number" }, figure(at + "slow", "count")),
					make("td", { class: "number" }, figure(at + "p50_ns", "time")),
					make("td", { class: "number" }, figure(at + "p99_ns", "time")),
					make("td", { class: "number" }, formatTime(one.run_ns / one.requests)));
			}))));
}
