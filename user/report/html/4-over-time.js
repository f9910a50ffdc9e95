/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics over time: of each group of threads the share of their time that they spent so, in each step. With the library
 * uPlot, if it was put in at build, a chart that can be zoomed and shows the values at the mouse; else a plain one.
 */
const metricWords = {
	run: "on a CPU", run_queue: "waits for a CPU", io_wait: "waits for a device", uninterruptible: "asleep uninterruptibly",
	futex_wait_time: "waits for locks", pipe_time: "in pipes", network_time: "in sockets", poll_time: "waits for events",
	file_time: "in files",
};
const OVER_TIME = 120; /* pixels of height */

/* Distances between ticks, in seconds. */
const roundSteps = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map(times => times * Math.pow(10, power - 9))).flat();

function groupName(group) {
	return group.group + " ×" + formatCount(group.threads);
}

function plainChart(over, metric, picture) {
	const groups = over.groups.filter(group => group.shares[metric]), width = PICTURE - LEFT, height = OVER_TIME;
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
			draw("title", null, groupName(group) + ": " + metricWords[metric])));
	}
	picture.replaceChildren(draw("svg", {
		viewBox: "0 0 " + PICTURE + " " + (top + height + 26), role: "img",
		"aria-label": metricWords[metric] + ", over time",
	}, made, moments(LEFT, width, top, height, length), timeAxis(LEFT, width, top + height + 4, length)));
}

/* The value that the style sheet has for a class or a property of the page. */
function styleOf(name) {
	const probe = make("i", { class: name });

	page.append(probe);
	const colour = getComputedStyle(probe).backgroundColor;
	probe.remove();
	return colour;
}

function pageColour(property) {
	return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}

/* Draws the moment of change and the freezes on the chart's canvas. */
function drawMoments(chart, over) {
	const context = chart.ctx, box = chart.bbox;
	const at = ns => chart.valToPos((ns - over.begin_ns) / 1e9, "x", true);

	context.save();
	context.beginPath();
	context.rect(box.left, box.top, box.width, box.height);
	context.clip();
	context.fillStyle = context.strokeStyle = pageColour("--mark");
	context.globalAlpha = 0.15;
	for (const freeze of report.freezes)
		context.fillRect(at(freeze.begin_ns), box.top, Math.max(1.5, at(freeze.end_ns) - at(freeze.begin_ns)), box.height);
	context.globalAlpha = 1;
	if (report.since_ns !== null) {
		context.setLineDash([5, 3]);
		context.strokeRect(at(report.since_ns), box.top - 2, 0, box.height + 4);
	}
	context.restore();
}

/* The values of one step, as figures of the report. */
function stepValues(over, metric, step, caption) {
	const places = over.groups.map((group, index) => [group, "pictures.over_time.groups." + index + ".shares." + metric + "." + step])
		.filter(([group]) => group.shares[metric]);

	caption.replaceChildren(formatMoment(step * over.step_ns) + ": ", ...places.flatMap(([group, place], index) =>
		[index ? " · " : "", groupName(group) + " ", figure(place, "share")]));
}

function chartByLibrary(over, metric, picture, caption) {
	const groups = over.groups.filter(group => group.shares[metric]), steps = groups[0].shares[metric].length;
	const length = (over.end_ns - over.begin_ns) / 1e9, size = Math.round(picture.clientWidth * LEFT / PICTURE), axis = { stroke: pageColour("--soft"), grid: { stroke: pageColour("--line"), width: 1 } };
	/* The last step ends at the end of the window. */
	const times = Array.from({ length: steps + 1 }, (_, step) => Math.min(length, step * over.step_ns / 1e9));
	const data = [times, ...groups.map(group => [...group.shares[metric], group.shares[metric][steps - 1]])];
	let at = groups[0].shares[metric].indexOf(Math.max(...groups[0].shares[metric]));
	const show = step => {
		at = Math.max(0, Math.min(steps - 1, step));
		stepValues(over, metric, at, caption);
	};

	picture.replaceChildren();
	const chart = new uPlot({
		width: picture.clientWidth, height: OVER_TIME + 28, legend: { show: false }, cursor: { y: false },
		scales: { x: { time: false, range: (_, from, to) => [from, to] }, y: { range: (_, from, to) => [0, Math.max(0.01, to)] } },
		axes: [{ ...axis, size: 30, incrs: roundSteps, values: (_, values) => values.map(value => value ? formatTime(value * 1e9) : "0") },
			{ ...axis, size: size, values: (_, values) => values.map(value => value ? formatShare(value) : "0 %") }],
		series: [{}, ...groups.map(group => ({
			label: groupName(group), stroke: styleOf("group" + over.groups.indexOf(group)), width: 1.6,
			paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }, spanGaps: false,
		}))],
		hooks: {
			draw: [made => drawMoments(made, over)],
			setCursor: [made => typeof made.cursor.idx === "number" && show(made.cursor.idx)],
		},
	}, data, picture);

	chart.root.setAttribute("tabindex", "0");
	chart.root.setAttribute("role", "group");
	chart.root.setAttribute("aria-label", metricWords[metric] + ", over time: arrow keys show the values of each step");
	chart.root.addEventListener("keydown", event => {
		if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
			event.preventDefault();
			show(at + (event.key === "ArrowLeft" ? -1 : 1));
		}
	});
	new ResizeObserver(() => picture.clientWidth && picture.contains(chart.root) &&
		chart.setSize({ width: picture.clientWidth, height: OVER_TIME + 28 })).observe(picture);
	show(at);
}

{
	const over = report.pictures && report.pictures.over_time;
	const metrics = over ? Object.keys(metricWords).filter(metric => over.groups.some(group => group.shares[metric])) : [];

	if (metrics.length && over.end_ns > over.begin_ns) {
		const library = typeof uPlot === "function";
		const place = section("What threads did over time", "Share of the time of each group of threads." +
			(report.since_ns !== null ? " The dashed line is the moment of change." : "") +
			(library ? " Drag to zoom in, double-click for all of it; below are the values at the mouse." : ""));
		const picture = make("div", { class: "picture", id: "over_time" });
		const caption = make("p", { class: "caption" });

		place.append(picture, caption);
		place.insertBefore(choices(metrics.map(metric => metricWords[metric]), index => library
			? chartByLibrary(over, metrics[index], picture, caption) : plainChart(over, metrics[index], picture)), picture);
		place.insertBefore(keys(over.groups.map((group, index) => ["group-key group" + index, groupName(group)])), picture);
		if (!library)
			caption.remove();
		if (over.groups_left_out)
			place.append(make("p", { class: "soft" }, "Left out: " + formatCount(over.groups_left_out) +
				(over.groups_left_out === 1 ? " group that runs" : " groups that run") + " less."));
	}
}
