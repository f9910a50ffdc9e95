<?php
// SPDX-License-Identifier: GPL-2.0-only
// A page for all, and one that counts a guest's visits in a session.

function begin_visit(string $guest): int {
	session_id($guest);
	session_start(['use_cookies' => 0, 'cache_limiter' => '']);
	$_SESSION['visits'] = ($_SESSION['visits'] ?? 0) + 1;
	$visits = $_SESSION['visits'];
	session_write_close();
	return $visits;
}

function make_page(int $number): string {
	$page = '';
	for ($line = 0; $line < 40; $line++)
		$page .= md5("$number.$line") . "\n";
	return $page;
}

if (str_starts_with($_SERVER['REQUEST_URI'], '/visit'))
	echo begin_visit('guest' . (int)($_GET['guest'] ?? 0)), "\n";
else
	echo make_page((int)($_GET['page'] ?? 0));
