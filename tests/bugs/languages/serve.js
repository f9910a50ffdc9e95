// SPDX-License-Identifier: GPL-2.0-only
'use strict';

// A web server in JavaScript, of which each path but / is a bug of its own: see languages.py.
const http = require('http');
const fs = require('fs');
const net = require('net');
const crypto = require('crypto');
const zlib = require('zlib');
const { Worker } = require('worker_threads');
const { execFileSync, execFile } = require('child_process');
const [, , port, peer, folder] = process.argv;
const words = 'the quick brown fox jumps over the lazy dog '.repeat(3000);
const visits = [];
let flag = false;

function usual() {
	let sum = 0;
	for (let i = 0; i < 20000; i++)
		sum += i * i;
	return sum;
}

function countWords() {
	let n = 0;
	for (let round = 0; round < 40; round++)
		for (let i = 0; i < words.length; i++)
			if (words.charCodeAt(i) === 32)
				n++;
	return n;
}

function matchRules() {
	return /^(a+)+$/.test('a'.repeat(22) + 'b') ? 1 : 0;
}

function packReport() {
	const rows = [];
	for (let i = 0; i < 20000; i++)
		rows.push({ a: i, b: `${i}`, c: [i] });
	return JSON.stringify(rows).length;
}

function sortPrices() {
	const list = [];
	for (let i = 0; i < 40000; i++)
		list.push(i * 7919 % 40009);
	return list.sort((a, b) => a - b)[0];
}

function readPages() {
	let n = 0;
	for (let i = 0; i < 400; i++)
		n += fs.readFileSync('/etc/passwd').length;
	return n;
}

function runHook() {
	execFileSync('sleep', ['0.02']);
	return 0;
}

function makeCopies() {
	let text = Buffer.alloc(0);
	for (let i = 0; i < 300; i++)
		text = Buffer.concat([text, Buffer.from(words.slice(0, 2000))]);
	return text.length;
}

function saveNote() {
	const file = fs.openSync(`${folder}/note`, 'w');
	for (let i = 0; i < 20; i++) {
		fs.writeSync(file, 'note\n');
		fs.fsyncSync(file);
	}
	fs.closeSync(file);
	return 0;
}

function hashParts() {
	return crypto.pbkdf2Sync('secret', 'salt', 20000, 32, 'sha256').length;
}

function parseOrders() {
	return JSON.parse(`[${'{"name":"a book","price":12,"tags":["x","y"]},'.repeat(20000)}{}]`).length;
}

function packFiles() {
	return zlib.gzipSync(words.repeat(16), { level: 9 }).length;
}

function formatRows() {
	let n = 0;
	for (let i = 0; i < 30000; i++)
		n += (i * 1.5).toLocaleString('en-US').length;
	return n;
}

function statPaths() {
	let n = 0;
	for (let i = 0; i < 6000; i++)
		n += fs.existsSync('/usr/share/none');
	return n;
}

function raiseErrors() {
	let n = 0;
	for (let i = 0; i < 2000; i++)
		try {
			throw new Error('no such row');
		} catch (error) {
			n += error.stack.length;
		}
	return n;
}

function makeGarbage() {
	const tree = (depth) => depth ? { left: tree(depth - 1), right: tree(depth - 1) } : {};
	return tree(17).left ? 1 : 0;
}

function findVisit() {
	for (let i = 0; i < 100; i++)
		visits.push(i);
	return visits.indexOf(-1);
}

function readJournal() {
	fs.appendFileSync(`${folder}/journal`, 'a visit\n'.repeat(100));
	return fs.readFileSync(`${folder}/journal`, 'latin1').split('\n').length;
}

// What follows answers later, and the loop goes on.
function takeNap(done) {
	setTimeout(done, 20);
}

function askPeer(done) {
	const [host, at] = peer.split(':');
	const socket = net.connect(at, host, () => socket.write('slow\n'));
	socket.on('data', () => { socket.destroy(); done(); });
}

function askPacker(done) {
	crypto.pbkdf2('secret', 'salt', 20000, 32, 'sha256', done);
}

function writeLedger(done) {
	execFile('sleep', ['0.02'], done);
}

async function readLater(done) {
	for (let i = 0; i < 100; i++)
		await fs.promises.readFile('/etc/passwd');
	done();
}

function zipLater(done) {
	zlib.gzip(words.repeat(32), { level: 9 }, done);
}

function yieldOften(done) {
	const end = Date.now() + 20;
	const turn = () => Date.now() < end ? setImmediate(turn) : done();
	turn();
}

const asked = [];
let helper;

function askThread(done) {
	asked.push(done);
	helper.postMessage(0);
}

// In a thread of its own.
function countInThread() {
	const { parentPort } = require('worker_threads');
	function countLetters() {
		let n = 0;
		for (const end = Date.now() + 20; Date.now() < end;)
			n++;
		return n;
	}
	parentPort.on('message', () => parentPort.postMessage(countLetters()));
}

function waitChild() {
	execFileSync('sleep', ['1000']);
	return 0;
}

function readFifo() {
	execFileSync('mkfifo', ['-m', '600', `${folder}/fifo`]);
	return fs.readFileSync(`${folder}/fifo`).length;
}

function takeLock() {
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
	return 0;
}

function spinOn() {
	while (!flag)
		;
	return 0;
}

function awaitFlag() {
	while (!flag)
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
	return 0;
}


const kinds = { countWords, matchRules, packReport, sortPrices, readPages, runHook, makeCopies, saveNote, hashParts, parseOrders, packFiles,
	formatRows, statPaths, raiseErrors, makeGarbage, findVisit, readJournal, waitChild, readFifo, takeLock, spinOn,
	awaitFlag };
const later = { takeNap, askPeer, askPacker, writeLedger, readLater, zipLater, yieldOften, askThread };

helper = new Worker(`(${countInThread})()`, { eval: true });
helper.on('message', () => asked.shift()());

function answer(path, done) {
	const kind = path.slice(1);
	const n = usual();
	if (later[kind])
		later[kind](() => done(`${n}\n`));
	else
		done(`${n + (kinds[kind] ? kinds[kind]() : 0)}\n`);
}

// A server of ../frameworks/ has the rest.
module.exports = { answer, port };
if (require.main === module)
	http.createServer((request, response) => answer(request.url, text => response.end(text))).listen(+port, '127.0.0.1');
