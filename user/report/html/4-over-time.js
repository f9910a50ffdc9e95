/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics over time: of each group of threads the share of their time that they spent so, in each step. */
const metricWords = {
	run: "on a CPU", run_queue: "waits for a CPU", io_wait: "waits for a device", uninterruptible: "asleep uninterruptibly",
	futex_wait_time: "waits for locks", pipe_time: "in pipes", network_time: "in sockets", poll_time: "waits for events",
	file_time: "in files",
};

function overTimeChart(over, metric, height) {
	const groups = over.groups.filter(group => group.shares[metric]), width = PICTURE - LEFT;
	const most = Math.max(0.01, ...groups.flatMap(group => group.shares[metric].filter(value => value !== null)));
	const length = over.end_ns - over.begin_ns, top = 6;
	const x = step => LEFT + width * Math.min(length, step * over.step_ns) / length;
	const y = value => top + height - height * value / most;
	const made = [draw("text", { class: "soft", x: LEFT - 8, y: top + 11, "text-anchor": "end" }, formatShare(most)),
		draw("text", { class: "soft", x: LEFT - 8, y: top + height, "text-anchor": "end" }, "0 %"),
		draw("line", { class: "axis", x1: LEFT, x2: PICTURE, y1: top + height, y2: top + height })];

	for (const group of groups) {
		let path = "", open = false;

		group.shares[metric].forEach((value, step) => {
			if (value !== null)
				path += (open ? "V" + y(value).toFixed(1) : "M" + x(step).toFixed(1) + " " + y(value).toFixed(1)) +
					"H" + x(step + 1).toFixed(1);
			open = value !== null;
		});
		made.push(draw("path", { class: "line group" + over.groups.indexOf(group), d: path },
			draw("title", null, group.group + " ×" + formatCount(group.threads) + ": " + metricWords[metric])));
	}
	return draw("svg", {
		viewBox: "0 0 " + PICTURE + " " + (top + height + 26), role: "img",
		"aria-label": metricWords[metric] + ", over time",
	}, made, moments(LEFT, width, top, height, length), timeAxis(LEFT, width, top + height + 4, length));
}

{
	const over = report.pictures && report.pictures.over_time;
	const metrics = over ? Object.keys(metricWords).filter(metric => over.groups.some(group => group.shares[metric])) : [];

	if (metrics.length && over.end_ns > over.begin_ns) {
		const place = section("What threads did over time", "Share of the time of each group of threads." +
			(report.since_ns !== null ? " The dashed line is the moment of change." : ""));
		const picture = make("div", { class: "picture", id: "over_time" });

		place.append(choices(metrics.map(metric => metricWords[metric]), index =>
			picture.replaceChildren(overTimeChart(over, metrics[index], 120))),
		keys(over.groups.map((group, index) => ["group-key group" + index, group.group + " ×" + formatCount(group.threads)])),
		picture);
		if (over.groups_left_out)
			place.append(make("p", { class: "soft" }, "Left out: " + formatCount(over.groups_left_out) +
				(over.groups_left_out === 1 ? " group that runs" : " groups that run") + " less."));
	}
}
