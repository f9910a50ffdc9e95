/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flame graph. The width is the time of slow units, the colour how much more time this is than in
 * usual units. The widths of a higher quantile are those of the longest units only, so that these stay visible.
 */
const FLAME_ROW = 19;

function flameTree(flame) {
	const nodes = flame.nodes.map(([parent, name, module, usual, ...slow]) =>
		({ parent: parent, name: name, module: module, usual: usual, slow: slow, below: [] }));

	nodes.forEach(node => {
		if (node.parent !== null)
			nodes[node.parent].below.push(node);
	});
	return nodes;
}

/* A box with as much time as usual is pale. A box that usual units never have is red. */
function flameColour(node, root, level) {
	const slow = node.slow[level] / Math.max(1, root.slow[level]), usual = node.usual / Math.max(1, root.slow[0]);
	const more = slow > 0 ? Math.max(0, 1 - usual / slow) : 0;

	return "hsl(" + Math.round(42 - 34 * more) + " " + Math.round(35 + 55 * more) + "% " + Math.round(80 - 15 * more) + "%)";
}

function flameTitle(flame, node, root, level) {
	const share = node.slow[level] / Math.max(1, root.slow[level]);
	const name = node.name === null ? "all" : node.name + (node.module ? " in " + node.module : "");

	if (flame.measure !== "ns")
		return name + ": " + formatCount(node.slow[level]) + " stacks, " + formatShare(share);
	return name + ": " + formatTime(node.slow[level]) + " of slow ones, " + formatShare(share) +
		(level ? "" : "; as many usual ones take " + formatTime(node.usual));
}

/* Places of the nodes below one that fills the width. Nodes of less than a pixel are left out. */
function flameBoxes(top, level) {
	const boxes = [];

	function place(node, x, width, depth) {
		let at = x;

		boxes.push({ node: node, x: x, width: width, depth: depth });
		for (const child of node.below.slice().sort((a, b) => b.slow[level] - a.slow[level])) {
			const wide = width * child.slow[level] / Math.max(1, node.slow[level]);

			if (wide >= 1)
				place(child, at, wide, depth + 1);
			at += wide;
		}
	}
	place(top, 0, PICTURE, 0);
	return boxes;
}

function flamePicture(flame, nodes, level, top, caption, zoom) {
	const boxes = flameBoxes(top, level), depth = Math.max(...boxes.map(box => box.depth));
	const found = new Set(report.findings.map(finding => finding.function && finding.function.name));
	const svg = draw("svg", {
		class: "flame", viewBox: "0 0 " + PICTURE + " " + (FLAME_ROW * (depth + 1) + 2), role: "group",
		"aria-label": "flame graph",
	});

	for (const box of boxes) {
		const node = box.node, title = flameTitle(flame, node, nodes[0], level);
		const rect = draw("rect", {
			x: box.x.toFixed(2), y: FLAME_ROW * box.depth, width: box.width.toFixed(2), height: FLAME_ROW - 1,
			fill: flameColour(node, nodes[0], level), tabindex: 0, role: "button", "aria-label": title,
			class: found.has(node.name) ? "found" : null, "data-name": node.name,
		}, draw("title", null, title));

		rect.addEventListener("click", () => zoom(node === top && node.parent !== null ? nodes[node.parent] : node));
		rect.addEventListener("keydown", event => {
			if (event.key === "Enter" || event.key === " ")
				event.preventDefault(), zoom(node);
			else if (event.key === "Escape")
				zoom(nodes[0]);
		});
		for (const event of ["mouseenter", "focus"])
			rect.addEventListener(event, () => { caption.textContent = title; });
		svg.append(rect, draw("text", { x: box.x + 4, y: FLAME_ROW * box.depth + 13 },
			shortened(node.name === null ? "all" : node.name, Math.floor((box.width - 6) / 7.1))));
	}
	return svg;
}

function levelName(flame, level) {
	const of = flame.levels[level];

	if (flame.measure !== "ns")
		return "threads that hang or spin";
	if (!level)
		return "all " + formatCount(of.units) + " slow ones";
	return "from p" + Number((100 * of.quantile).toFixed(1)) + ": " + formatCount(of.units) + ", " +
		formatTime(of.from_ns) + " or longer";
}

{
	const flame = report.pictures && report.pictures.flame;

	if (flame && flame.nodes.length > 1 && flame.nodes[0][4] > 0) {
		const place = section(flame.measure === "ns" ? "In which functions the slow ones spend their time" : "Where the threads are",
			flame.measure === "ns" ? "Width: time of slow " + (flame.levels[0].units === report.basis.slow_requests ? "requests" : "rounds of work") +
				", run and asleep, with the threads that they wait for. Red: usual ones do not spend it there. " +
				"Click or Enter goes into a function, Escape back. Findings have a border."
				: "Width: number of stacks. Findings have a border.");
		const nodes = flameTree(flame), caption = make("p", { class: "caption", "aria-live": "polite" });
		const picture = make("div", { class: "picture", id: "flame" });
		let level = 0, top = nodes[0];
		const show = () => picture.replaceChildren(flamePicture(flame, nodes, level, top, caption, node => {
			top = node;
			show();
		}));
		const buttons = choices(flame.levels.map((of, index) => levelName(flame, index)), index => {
			level = index;
			top = nodes[0];
			show();
		});

		if (flame.levels.length > 1)
			place.append(buttons);
		place.append(picture, caption);
	}
}
