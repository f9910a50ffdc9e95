/* SPDX-License-Identifier: GPL-2.0-only */
/* A slow request beside a normal one: what its thread did, and which thread woke it. */
const SCENE_ROW = 34;

/* Below the thread's bar: its calls one by one. */
function sceneCalls(scene, left, width, length) {
	return scene.calls.map(([call, from, to]) => draw("rect", {
		class: "call", x: (left + width * from / length).toFixed(2), y: 25, height: 5,
		width: Math.max(1, width * (to - from) / length).toFixed(2),
	}, draw("title", null, callName(call) + ", " + formatTime(to - from))));
}

function sceneThread(thread, index, left, width, length) {
	const top = 6 + SCENE_ROW * index;
	const made = [draw("text", { x: 0, y: top + 13 }, shortened(thread.name + " " + thread.tid, NAME_ROOM))];

	for (const [state, from, to, call] of thread.spans) {
		const x = left + width * from / length, wide = width * (to - from) / length;
		const what = state === "asleep" ? "asleep" + (call === "?" ? "" : " in " + (call === null ? "a page fault" : callName(call))) :
			state === "queue" ? "waits for a CPU" : state === "run" ? "runs" : "not known";

		made.push(draw("rect", {
			class: state === "unknown" ? "unknown-time" : state, x: x.toFixed(2), y: top,
			width: Math.max(0.5, wide).toFixed(2), height: 18,
		}, draw("title", null, what + ", " + formatTime(to - from))));
		if (wide > 60)
			made.push(draw("text", { class: state === "run" ? "inside" : "soft", x: x + 4, y: top + 13 },
				shortened(what, Math.floor(wide / 6.2))));
	}
	return made;
}

/* From the thread that woke another one to the thread that was woken. Arrows to the same place are drawn once. */
function sceneArrows(scene, left, width, length) {
	const seen = new Set();

	return scene.wakes.filter(([, from]) => from >= 0).flatMap(([time, from, to]) => {
		const x = left + width * time / length, key = Math.round(x) + " " + from + " " + to;
		const down = to > from, y1 = 6 + SCENE_ROW * from + (down ? 18 : 0), y2 = 6 + SCENE_ROW * to + (down ? -2 : 20);
		const tip = down ? -6 : 6;

		if (seen.has(key))
			return [];
		seen.add(key);
		return [draw("g", null,
			draw("title", null, scene.threads[from].name + " wakes " + scene.threads[to].name + " after " + formatTime(time)),
			draw("line", { class: "arrow", x1: x, y1: y1, x2: x, y2: y2 + tip }),
			draw("path", { class: "arrow-end", d: "M" + x + " " + y2 + "l-4 " + tip + "h8z" }))];
	});
}

function scenePicture(unit, title, length, place) {
	const left = LEFT, width = PICTURE - LEFT, height = 10 + SCENE_ROW * unit.scene.threads.length;

	return make("div", null, make("h3", null, title + ": ", figure(place + ".wall_ns", "time")),
		make("p", { class: "soft" }, "on a CPU ", figure(place + ".run_ns", "time"),
			unit.queue_ns ? [", waits for a CPU ", figure(place + ".queue_ns", "time")] : null,
			unit.blocked_ns ? [", asleep ", figure(place + ".blocked_ns", "time")] : null),
		make("div", { class: "picture" }, draw("svg", {
			viewBox: "0 0 " + PICTURE + " " + (height + 22), role: "img", "aria-label": title,
		}, unit.scene.threads.map((thread, index) => sceneThread(thread, index, left, width, length)),
		sceneCalls(unit.scene, left, width, length), sceneArrows(unit.scene, left, width, length), timeAxis(left, width, height, length))));
}

function pathList(unit) {
	return make("ol", { class: "path" }, unit.path.slice(0, 40).map(step => make("li", {
		class: step.extra ? "extra" : null,
	}, make("span", { class: "name" }, (step.extra ? "+" : "") + callName(step.call) +
		(step.count > 1 ? " ×" + formatCount(step.count) : "")), step.ns ? " " + formatTime(step.ns) : "")),
	unit.path_calls > Math.min(40, unit.path.length) ?
		make("li", { class: "soft" }, formatCount(unit.path_calls - Math.min(40, unit.path.length)) + " more") : null);
}

function showExample(place, index, same) {
	const example = report.findings[index].example, at = "findings." + index + ".example.";
	const normal = example.baseline ? "One of the baseline" : "A normal one";
	const longest = example.usual ? Math.max(example.slow.wall_ns, example.usual.wall_ns) : example.slow.wall_ns;

	place.replaceChildren(scenePicture(example.slow, "A slow one", same ? longest : example.slow.wall_ns, at + "slow"));
	if (example.usual)
		place.append(scenePicture(example.usual, normal, same ? longest : example.usual.wall_ns, at + "usual"));
	place.append(make("div", { class: "pair" },
		make("div", null, make("h3", null, "Calls of the slow one"), pathList(example.slow)),
		example.usual ? make("div", null, make("h3", null, "Calls of the normal one"), pathList(example.usual)) : null));
}

{
	const shown = report.findings.map((finding, index) => index).filter(index => report.findings[index].example);

	if (shown.length) {
		const place = section("A slow " + (report.basis.slow_requests ? "request" : "round of work") + " beside a normal one",
			"An arrow goes from a thread to the one that it wakes. A call with a + is one that the normal one does not make there.");
		const picture = make("div", { id: "scene" });
		let chosen = shown[0], same = false;
		const show = () => showExample(picture, chosen, same);
		const findings = choices(shown.map(index => functionName(report.findings[index])), at => {
			chosen = shown[at];
			show();
		});
		const scales = choices(["each has its own scale", "both have one scale"], at => {
			same = at > 0;
			show();
		});

		if (shown.length > 1)
			place.append(findings);
		place.append(scales, keys([["run", "runs"], ["queue", "waits for a CPU"], ["asleep", "asleep"], ["call-key", "calls"]]),
			picture);
	}
}
