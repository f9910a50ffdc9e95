/* SPDX-License-Identifier: GPL-2.0-only */
/* The first screen: what is wrong, where, how bad, how sure, and what to do next. */
function answerHead() {
	const trace = report.trace, seconds = (trace.end_ns - trace.begin_ns) / 1e9;
	const when = trace.wall_ns === null ? null : new Date(trace.wall_ns / 1e6).toISOString().replace("T", " ").slice(0, 19) + " UTC";

	return make("header", null,
		make("div", { class: "head" },
			make("span", { class: "badge " + (/^(BOTTLENECK|UNEVEN)/.test(report.headline) ? "bottleneck" : report.verdict) },
				figure("headline", "text")),
			make("h1", null, (trace.command || "?") + " ", make("span", { class: "soft" },
				"pid ", figure("trace.pid", "text"), trace.host ? " on " + trace.host : ""))),
		make("p", { class: "soft" }, [when, seconds.toFixed(1) + " s", trace.kernel && "Linux " + trace.kernel,
			"source " + (trace.source || "?")].filter(Boolean).join(" · ") + " · ",
			figure("trace.events", "count"), " events, ", trace.lost ? figure("trace.lost", "count") : "nothing",
			" lost"),
		trace.container ? make("p", { class: "soft name" }, [trace.container.pod && "pod " + trace.container.pod,
			trace.container.runtime && trace.container.runtime + " " + trace.container.name].filter(Boolean).join(", ")) : null,
		trace.command_line && trace.command_line !== trace.command ?
			make("p", { class: "soft name" }, trace.command_line) : null,
		make("p", { class: "answer", "data-place": "answer", "data-format": "text" }, report.answer),
		report.beside ? make("p", null, report.beside) : null);
}

function card(label, ...value) {
	return make("div", { class: "card" }, make("span", { class: "label" }, label), make("b", null, value));
}

function answerCards() {
	const first = report.findings[0], basis = report.basis, requests = basis.slow_requests > 0;
	const kind = requests ? "requests" : "units";
	const cards = [];

	if (first && first.units !== undefined) {
		cards.push(card("slow " + (requests ? "requests" : "rounds of work") + ", of " + formatCount(basis[kind]),
			figure("basis.slow_" + kind, "count")));
		cards.push(card("they take (median)", figure("findings.0.p50_ns", "time")));
		cards.push(card("a normal one", figure("findings.0.usual_ns", "time")));
		cards.push(card("99th percentile of these", figure("findings.0.p99_ns", "time")));
		cards.push(card("of the extra time in " + functionName(first), figure("findings.0.share", "share")));
	} else if (first) {
		cards.push(card(first.who + "s", figure("findings.0.threads", "count")));
		cards.push(card("for", figure("findings.0.age_ns", "time")));
		cards.push(card(first.who === "thread" ? "the first one" : "of", first.thread.name + " (tid " + first.thread.tid + ")"));
	} else {
		cards.push(card("requests", figure("basis.requests", "count")));
		cards.push(card("slow ones", figure("basis.slow_requests", "count")));
		if (basis.longest_ns !== null)
			cards.push(card("the longest took", figure("basis.longest_ns", "time")));
	}
	if (first)
		cards.push(card("confidence", figure("findings.0.confidence", "text")));
	return make("div", { class: "cards" }, cards);
}

function nextSteps() {
	/* The step that opens this page is left out. */
	const steps = report.next.filter(step => !/\.html'?$/.test(step.command));

	if (!steps.length)
		return null;
	return make("section", null, make("h2", null, "Next"),
		make("ul", { class: "next" }, steps.map(step => {
			const button = make("button", { type: "button" }, "copy");

			button.addEventListener("click", () => {
				if (navigator.clipboard)
					navigator.clipboard.writeText(step.command);
			});
			return make("li", null, make("code", null, step.command), button,
				make("span", { class: "soft" }, step.why));
		})));
}

page.append(answerHead(), answerCards());
{
	const steps = nextSteps();

	if (steps)
		page.append(steps);
}
