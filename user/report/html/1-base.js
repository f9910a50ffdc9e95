/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts that all sections use: the report, elements, figures and their formats.
 *
 * Names come from the traced program and may be anything. They become text nodes or attributes, never markup.
 */
const report = JSON.parse(document.getElementById("report").textContent);
const page = document.getElementById("page");

/* An element; children are elements, or strings that become text. */
function make(tag, attributes, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
	for (const name in attributes || {})
		if (attributes[name] !== null && attributes[name] !== undefined)
			element.setAttribute(name, attributes[name]);
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined)
			element.append(child);
	return element;
}

/* Numbers in the format of the text report (report/numbers.c). */
function fixed(value) {
	return value.toFixed(value >= 100 || value === 0 ? 0 : value >= 1 ? 1 : 2);
}

function formatTime(ns) {
	if (ns === null || ns === undefined)
		return "?";
	for (const [unit, name] of [[1e9, "s"], [1e6, "ms"]])
		if (ns >= 0.1 * unit)
			return fixed(ns / unit) + " " + name;
	return ns > 0 && ns < 10 ? fixed(ns) + " ns" : fixed(ns / 1e3) + " µs";
}

function formatCount(count) {
	return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

function formatShare(share) {
	if (share === null || share === undefined)
		return "?";
	return share > 0 && share < 0.001 ? "< 0.1 %" : (100 * share).toFixed(share < 0.1 ? 1 : 0) + " %";
}

/* A number for each second. */
function formatRate(value) {
	return Math.abs(value) >= 100 ? (value < 0 ? "-" : "") + formatCount(Math.abs(value)) : String(Number(value.toPrecision(3)));
}

const formats = { rate: formatRate, time: formatTime, count: formatCount, share: formatShare, text: String };

/* The value of the report at a place such as "findings.0.p50_ns". */
function valueAt(place) {
	return place.split(".").reduce((value, key) => value[key], report);
}

/* A figure of the report. It has its place in the report as an attribute, so that a test can compare it. */
function figure(place, format) {
	return make("span", { "data-place": place, "data-format": format }, formats[format](valueAt(place)));
}

/* A section with its heading, to which a picture or table is added. */
function section(title, hint) {
	const made = make("section", null, make("h2", null, title), hint ? make("p", { class: "soft" }, hint) : null);

	page.append(made);
	return made;
}

function keys(rows) {
	return make("div", { class: "keys" },
		rows.map(([style, text]) => make("span", null, make("i", { class: style }), text)));
}

/* Buttons of which one is chosen. choose(index) is called at each choice, and at once for the first button. */
function choices(names, choose, first) {
	const buttons = names.map((name, index) => {
		const button = make("button", { type: "button" }, name);

		button.addEventListener("click", () => pick(index));
		return button;
	});

	function pick(index) {
		buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === index)));
		choose(index);
	}

	pick(first || 0);
	return make("div", { class: "buttons" }, buttons);
}

function callName(call) {
	return call === null ? "running" : call === "queue" ? "without a CPU" : call === "between" ? "running between" : call === "task" ? "waiting in no thread" : typeof call === "number" ? "system call " + call : call;
}

function functionName(finding) {
	const name = finding.function && finding.function.name;

	return name || "a function without a name";
}

/* The time since the window began, or the time of day if the trace has it. */
function formatMoment(offset) {
	if (report.trace.wall_ns === null)
		return formatTime(offset) + " into the window";
	return new Date((report.trace.wall_ns + offset) / 1e6).toISOString().slice(11, 23) + " UTC";
}

/* The ticks of an axis up to a length. Their distance is a round number, and there are about that many of them. */
function ticks(length, count) {
	const rough = length / count, power = Math.pow(10, Math.floor(Math.log10(rough)));
	const step = [1, 2, 5, 10].map(times => times * power).find(value => value >= rough);
	const made = [];

	for (let at = 0; at <= length * 1.0001; at += step)
		made.push(at);
	return made;
}

/* The axis of time below a picture. */
function timeAxis(left, width, top, length) {
	return ticks(length, width < 500 ? 3 : 6).map(at => {
		const x = left + width * at / length;

		return draw("g", null,
			draw("line", { class: "axis", x1: x, x2: x, y1: top, y2: top + 4 }),
			draw("text", { class: "soft", x: x, y: top + 16, "text-anchor": !at ? "start" : at > 0.96 * length ? "end" : "middle" },
				at ? formatTime(at) : "0"));
	});
}

/* At most as many characters as the picture has room for. */
function shortened(text, room) {
	const characters = Array.from(text);

	return characters.length <= room ? text : room < 3 ? "" : characters.slice(0, room - 1).join("") + "…";
}
