// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks Perfetto's own trace processor about a trace: the engine of ui.perfetto.dev, as WebAssembly, run outside of a browser.
 *
 * Usage: node perfetto.mjs DIR TRACE SQL...    DIR: where the engine's three files are
 * Prints the rows of each statement, columns separated by "|". Exit status: 0 all were answered; 1 not.
 */
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { pathToFileURL } from "node:url";

const [dir, trace, ...statements] = process.argv.slice(2);

/* What the engine expects of the worker that it usually runs in. */
globalThis.self = { location: { href: "" } };
globalThis.WorkerGlobalScope = class {};
globalThis.XMLHttpRequest = class {
	open(method, name) { this.name = name; }
	send() { this.response = fs.readFileSync(path.join(dir, path.basename(this.name))); }
};
/* Of its two builds the package has the one with 32 bit addresses, so it must not find 64 bit ones. */
const Compiled = WebAssembly.Module;
WebAssembly.Module = class extends Compiled {
	constructor(bytes) {
		if (bytes[8] === 5 && bytes[11] === 4)
			throw new Error("no 64 bit addresses");
		super(bytes);
	}
};
console.warn = () => {};

vm.runInThisContext(fs.readFileSync(path.join(dir, "engine_bundle.node.js"), "utf8"));
const { EngineBase } = await import(pathToFileURL(path.resolve(dir, "engine.mjs")));

class Engine extends EngineBase {
	id = "file";
	mode = "WASM";
	constructor() {
		super();
		this.port = { postMessage: (bytes) => this.onRpcResponseBytes(bytes) };
		self.onmessage({ data: this.port });
	}
	rpcSendRequestBytes(bytes) { this.port.onmessage({ data: bytes }); }
}

/* Its WebAssembly has to be ready first. */
await new Promise((done) => setTimeout(done, 0));
const engine = new Engine();
await engine.parse(fs.readFileSync(trace));
await engine.notifyEof();
for (const statement of statements) {
	const result = await engine.query(statement);
	const columns = result.columns();
	for (const row = result.iter({}); row.valid(); row.next())
		console.log(columns.map((name) => row.get(name)).join("|"));
}
process.exit(0);
