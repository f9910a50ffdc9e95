/* SPDX-License-Identifier: GPL-2.0-only */
/* Times in the window: requests and how long they took, and a strip for each thread, those with slow units first. */
/* A narrow window gets a narrow picture, with words of the same size. */
const NARROW = window.innerWidth < 720;
const PICTURE = NARROW ? 440 : 1100, LEFT = NARROW ? 92 : 150, NAME_ROOM = NARROW ? 13 : 22;

/* Marks the moment at which a change began, and the freezes, over the whole height of a picture. */
function moments(left, width, top, height, length) {
	const begin = report.pictures.strips.begin_ns, made = [];

	for (const freeze of report.freezes)
		made.push(draw("rect", {
			class: "freeze", x: left + width * (freeze.begin_ns - begin) / length, y: top, height: height,
			width: Math.max(1.5, width * (freeze.end_ns - freeze.begin_ns) / length),
		}, draw("title", null, "no client was served: " + formatTime(freeze.end_ns - freeze.begin_ns))));
	if (report.since_ns !== null) {
		const x = left + width * (report.since_ns - begin) / length;

		made.push(draw("line", { class: "since", x1: x, x2: x, y1: top, y2: top + height },
			draw("title", null, "it began here, " + formatMoment(report.since_ns - begin))));
	}
	return made;
}

/* Bars: how many requests ended in each part. The lower end of a bar shows the slow ones. */
function rateChart(strips, top, height) {
	const points = strips.points, width = PICTURE - LEFT, part = width / points.length;
	const seconds = (strips.end_ns - strips.begin_ns) / points.length / 1e9;
	const most = Math.max(1, ...points.map(point => point[0]));
	const made = [draw("text", { class: "soft", x: 0, y: top + 11 }, strips.requests ? "requests/s" : "rounds/s"),
		draw("text", { class: "soft", x: LEFT - 8, y: top + 11, "text-anchor": "end" },
			formatCount(most / seconds))];

	points.forEach(([count, slow], index) => {
		const x = LEFT + part * index, tall = height * count / most, tallSlow = height * slow / most;
		const title = draw("title", null, formatCount(count) + ", of which " + formatCount(slow) + " slow, " +
			formatMoment((strips.end_ns - strips.begin_ns) * index / points.length));

		if (count)
			made.push(draw("g", null, title,
				draw("rect", { class: "usual", x: x, y: top + height - tall, width: part - 0.6, height: tall }),
				slow ? draw("rect", {
					class: "slow", x: x, width: part - 0.6, y: top + height - Math.max(2, tallSlow),
					height: Math.max(2, tallSlow),
				}) : null));
	});
	made.push(draw("line", { class: "axis", x1: LEFT, x2: PICTURE, y1: top + height, y2: top + height }));
	return made;
}

/* Curves with a logarithmic scale: the median and the 99th percentile. A dot shows the longest request. */
function latencyChart(strips, top, height) {
	const points = strips.points, width = PICTURE - LEFT, part = width / points.length;
	const values = points.flatMap(point => point[0] ? point.slice(2) : []).filter(value => value > 0);
	const low = Math.floor(Math.log10(Math.min(...values))), high = Math.ceil(Math.log10(Math.max(...values)));
	const range = Math.max(1, high - low);
	const place = ns => top + height - height * (Math.log10(Math.max(ns, Math.pow(10, low))) - low) / range;
	const made = [draw("text", { class: "soft", x: 0, y: top + 11 }, "how long")];

	if (!values.length)
		return [];
	for (let power = low; power <= low + range; power++)
		made.push(draw("line", { class: "axis", x1: LEFT, x2: PICTURE, y1: place(Math.pow(10, power)),
			y2: place(Math.pow(10, power)) }),
		draw("text", { class: "soft", x: LEFT - 8, y: place(Math.pow(10, power)) + 4, "text-anchor": "end" },
			formatTime(Math.pow(10, power)).replace(/\.0+ /, " ")));
	for (const [column, style] of [[2, "middle"], [3, "tail"]]) {
		let path = "", open = false;

		points.forEach((point, index) => {
			if (point[0])
				path += (open ? "L" : "M") + (LEFT + part * (index + 0.5)).toFixed(1) + " " +
					place(point[column]).toFixed(1);
			open = point[0] > 0;
		});
		made.push(draw("path", { class: "line " + style, d: path }));
	}
	points.forEach((point, index) => {
		if (point[0])
			made.push(draw("circle", { class: "dot", cx: LEFT + part * (index + 0.5), cy: place(point[4]), r: 2 },
				draw("title", null, "longest " + formatTime(point[4]) + ", median " + formatTime(point[2]) +
					", p99 " + formatTime(point[3]))));
	});
	return made;
}

/* Parts in a row that are about equally busy are one rectangle. */
function busyRow(thread, top, height) {
	const part = (PICTURE - LEFT) / thread.busy.length, made = [];
	const levels = thread.busy.map(percent => percent ? Math.ceil(percent / 20) : 0);

	for (let from = 0, to; from < levels.length; from = to) {
		for (to = from + 1; to < levels.length && levels[to] === levels[from]; to++)
			;
		if (levels[from])
			made.push(draw("rect", {
				class: "busy", x: (LEFT + part * from).toFixed(1), y: top, height: height,
				width: (part * (to - from)).toFixed(1), opacity: 0.12 + 0.11 * levels[from],
			}));
	}
	return made;
}

/* Hangs and spins: from the time when the thread stopped to the end of the window. */
function stuckMarks(strips, row, length) {
	return report.findings.flatMap((finding, index) => {
		const thread = finding.thread, at = thread ? strips.threads.findIndex(one => one.tid === thread.tid) : -1;
		const from = Math.max(0, length - finding.age_ns);

		return at < 0 ? [] : [draw("rect", {
			class: "slow", x: LEFT + (PICTURE - LEFT) * from / length, y: row(at), height: 16, opacity: 0.8,
			width: Math.max(3, (PICTURE - LEFT) * (length - from) / length),
		}, draw("title", null, finding.kind + " " + (index + 1) + ": " + functionName(finding) + ", for " +
			formatTime(finding.age_ns)))];
	});
}

function slowMarks(strips, row, length) {
	const width = PICTURE - LEFT;

	return strips.slow.map(([at, from, to]) => draw("rect", {
		class: "slow", x: (LEFT + width * from / length).toFixed(1), y: row(at) + 2, height: 12,
		width: Math.max(1.5, width * (to - from) / length).toFixed(1), opacity: 0.75,
	}, draw("title", null, formatTime(to - from) + " in " + strips.threads[at].name + ", " + formatMoment(from))));
}

function threadStrips(strips, top, length) {
	const row = index => top + 22 * index;

	return strips.threads.map((thread, index) => draw("g", null,
		draw("text", { x: 0, y: row(index) + 13 }, shortened(thread.name + " " + thread.tid, NAME_ROOM),
			draw("title", null, thread.name + ", tid " + thread.tid + ", " + formatCount(thread.slow) + " slow")),
		draw("rect", { class: "unknown-time", x: LEFT, y: row(index), width: PICTURE - LEFT, height: 16 }),
		busyRow(thread, row(index), 16)))
		.concat(slowMarks(strips, row, length), stuckMarks(strips, row, length));
}

{
	const strips = report.pictures && report.pictures.strips;
	const length = strips ? strips.end_ns - strips.begin_ns : 0;

	if (strips && length > 0 && strips.threads.length) {
		const requests = strips.points.some(point => point[0]), charts = requests ? 210 : 0;
		const height = charts + 22 * strips.threads.length, place = section("When",
			strips.requests ? "Requests over the window, and what each thread did. Red is slow."
				: "Rounds of work over the window, and what each thread did. Red is slow.");

		if (requests)
			place.append(keys([["usual", "requests"], ["slow", "slow, or the longest"], ["run", "median"],
				["queue", "99th percentile"], ["busy-key", "the thread works"]]));
		place.append(make("div", { class: "picture", id: "strips" }, draw("svg", {
			viewBox: "0 0 " + PICTURE + " " + (height + 24), role: "img",
			"aria-label": "requests over time, and a strip for each thread",
		}, requests ? rateChart(strips, 4, 60) : [], requests ? latencyChart(strips, 84, 100) : [],
		threadStrips(strips, charts, length), moments(LEFT, PICTURE - LEFT, 0, height, length),
		timeAxis(LEFT, PICTURE - LEFT, height + 2, length))));
		if (strips.threads_left_out || strips.slow_left_out)
			place.append(make("p", { class: "soft" }, "Left out: " + formatCount(strips.threads_left_out) +
				(strips.threads_left_out === 1 ? " thread" : " threads") + " with less to show, " +
				formatCount(strips.slow_left_out) + " shorter slow ones."));
	}
}
