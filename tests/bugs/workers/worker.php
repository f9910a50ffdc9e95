<?php
// SPDX-License-Identifier: GPL-2.0-only
// The functions of ../languages/serve.php as jobs of a queue in Redis: see ../workers.py.
require __DIR__ . '/../languages/serve.php';

// The broker begins later.
function connected($port) {
	while (!($broker = @stream_socket_client("tcp://127.0.0.1:$port")))
		usleep(20000);
	return $broker;
}

// What Redis answers, a list of texts, or one.
function redis($broker, ...$words) {
	$text = '*' . count($words) . "\r\n";
	foreach ($words as $word)
		$text .= '$' . strlen($word) . "\r\n$word\r\n";
	fwrite($broker, $text);
	$head = fgets($broker);
	if ($head === false)
		exit(0);
	if ($head[0] != '*')
		return $head;
	for ($list = [], $i = (int)substr($head, 1); $i > 0; $i--) {
		$size = (int)substr(fgets($broker), 1) + 2;
		$list[] = rtrim(stream_get_contents($broker, $size));
	}
	return $list;
}

function processJob($kind) { return run($kind); }

$broker = connected($argv[1]);
while (true) {
	processJob(redis($broker, 'BLPOP', 'jobs', '0')[1]);
	redis($broker, 'INCR', 'done');
}
