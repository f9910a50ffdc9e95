/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes since the baseline: for each group the metrics that changed by more than chance, and the load. */
const changeRows = 6; /* of a group */

function changeValue(metric, at) {
	return metric.share ? figure(at, "share") : figure(at, "rate");
}

function changeSign(metric, value) {
	if (value === null)
		return "–";
	return (value > 0 ? "+" : "") + (metric.share ? (100 * value).toFixed(1) : formatRate(value));
}

if (report.changes) {
	const changes = report.changes;
	const place = section("What changed", "Since the baseline: shares of each group's time, and rates. Only what is beyond chance.");

	place.id = "changes";
	place.append(make("p", null, changes.requests ? "Requests" : "Units", " a second: ", figure("changes.before_per_s", "rate"), " before, ",
		figure("changes.after_per_s", "rate"), " here."));
	const rows = changes.groups.flatMap((group, index) => {
		const sure = group.metrics.map((metric, at) => [metric, "changes.groups." + index + ".metrics." + at + "."])
			.filter(([metric]) => metric.sure).slice(0, changeRows);

		if (group.new || group.gone)
			return [make("tr", null, make("td", { class: "name" }, group.name), make("td", { colspan: 5 }, group.new ? "is new" : "is gone"))];
		return sure.map(([metric, at], row) => make("tr", null,
			make("td", { class: "name" }, row ? "" : group.name), make("td", null, metric.metric.replace(/_/g, " ")),
			make("td", { class: "number" }, changeValue(metric, at + "before")),
			make("td", { class: "number" }, changeValue(metric, at + "after")),
			make("td", { class: "number" }, changeSign(metric, metric.low) + " to " + changeSign(metric, metric.high)),
			make("td", { class: "number" }, metric.share ? changeSign({ share: false }, metric.score) : "")));
	});

	place.append(rows.length ? make("div", { class: "table" }, make("table", null,
		make("tr", null, ["threads", "metric", "before", "here", "95 % of the difference", "score"].map((title, at) =>
			make("th", at > 1 ? { class: "number" } : null, title))), rows)) :
		make("p", null, "No group of threads spends its time otherwise."));
}
