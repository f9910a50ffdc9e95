<?php
// SPDX-License-Identifier: GPL-2.0-only
// A web server in PHP, of which each path but / is a bug of its own: see languages.py.

function words() { return str_repeat('the quick brown fox jumps over the lazy dog ', 3000); }

function usual() {
	for ($sum = $i = 0; $i < 20000; $i++)
		$sum += $i * $i;
	return $sum;
}

function countWords() {
	$words = words();
	for ($n = $i = 0; $i < strlen($words); $i++)
		if ($words[$i] == ' ')
			$n++;
	return $n;
}

function matchRules() {
	ini_set('pcre.jit', '0');
	return preg_match('/^(a+)+$/', str_repeat('a', 17) . 'b') ? 1 : 0;
}

function packReport() {
	for ($rows = [], $i = 0; $i < 20000; $i++)
		$rows[] = ['a' => $i, 'b' => "$i"];
	return strlen(json_encode($rows));
}

function sortPrices() {
	for ($list = [], $i = 0; $i < 40000; $i++)
		$list[] = $i * 7919 % 40009;
	usort($list, fn($a, $b) => $a - $b);
	return $list[0];
}

function writeLedger() {
	$file = fopen(getenv('FOLDER') . '/ledger', 'c');
	flock($file, LOCK_EX);
	usleep(20000);
	fclose($file);
	return 0;
}

function takeNap() {
	usleep(20000);
	return 0;
}

function readPages() {
	for ($n = $i = 0; $i < 400; $i++)
		$n += strlen(file_get_contents('/etc/passwd'));
	return $n;
}

function runHook() {
	exec('sleep 0.02');
	return 0;
}

function ask($what) {
	$peer = stream_socket_client('tcp://' . getenv('PEER'));
	fwrite($peer, $what);
	return strlen(fgets($peer));
}

function askPeer() { return ask("slow\n"); }

function makeCopies() {
	for ($text = '', $i = 0; $i < 400; $i++)
		$text = strrev($text . substr(words(), 0, 1000));
	return strlen($text);
}

function saveNote() {
	$note = fopen(getenv('FOLDER') . '/note', 'w');
	for ($i = 0; $i < 20; $i++) {
		fwrite($note, "note\n");
		fsync($note);
	}
	return 0;
}

function hashParts() { return strlen(hash_pbkdf2('sha256', 'secret', 'salt', 20000)); }

function parseOrders() { return count(json_decode('[' . str_repeat('{"name":"a book","price":12,"tags":["x","y"]},', 10000) . '{}]', true)); }

function packFiles() { return strlen(gzencode(str_repeat(words(), 8), 9)); }

function formatRows() {
	for ($n = $i = 0; $i < 20000; $i++)
		$n += strlen(date('Y-m-d H:i:s', $i) . sprintf('%10.2f', $i));
	return $n;
}

function statPaths() {
	for ($n = $i = 0; $i < 6000; $i++)
		$n += file_exists('/usr/share/none') ? 1 : 0;
	return $n;
}

function raiseErrors() {
	for ($n = $i = 0; $i < 20000; $i++)
		try {
			throw new Exception('no such row');
		} catch (Exception $e) {
			$n += strlen($e->getTraceAsString());
		}
	return $n;
}

function pollAnswer() {
	for ($n = 0, $end = microtime(true) + 0.02; microtime(true) < $end;)
		$n++;
	return $n;
}

// All slow requests have one session, and wait for it.
function holdSession() {
	session_save_path(getenv('FOLDER'));
	session_id('one');
	session_start();
	usleep(20000);
	session_write_close();
	return 0;
}

function readJournal() {
	file_put_contents(getenv('FOLDER') . '/journal', str_repeat("a visit\n", 20), FILE_APPEND);
	return count(file(getenv('FOLDER') . '/journal'));
}

function takeLock() {
	$one = fopen(getenv('FOLDER') . '/held', 'c');
	$other = fopen(getenv('FOLDER') . '/held', 'c');
	flock($one, LOCK_EX);
	flock($other, LOCK_EX);
	return 0;
}

function waitAny() {
	$pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
	$read = [$pair[0]];
	$none = null;
	stream_select($read, $none, $none, null);
	return 0;
}

function waitChild() {
	exec('sleep 1000');
	return 0;
}

function readPeer() { return ask("never\n"); }

function spinOn() {
	for ($n = 0; $n >= 0; $n = 1 - $n)
		;
	return 0;
}

function awaitFlag() {
	while (!file_exists(getenv('FOLDER') . '/flag'))
		usleep(20000);
	return 0;
}

function readFifo() {
	posix_mkfifo(getenv('FOLDER') . '/fifo', 0600);
	return strlen(file_get_contents(getenv('FOLDER') . '/fifo'));
}

set_time_limit(0);
ini_set('default_socket_timeout', '3600');

function run($kind) {
	$n = usual();
	if (trim($kind) != '')
		$n += $kind();
	return "$n\n";
}

// A worker of ../workers/ includes this file.
if (PHP_SAPI != 'cli')
	echo run(substr($_SERVER['REQUEST_URI'], 1));
