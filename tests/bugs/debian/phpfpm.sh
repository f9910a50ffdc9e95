# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's PHP-FPM with a shop in PHP, four processes that wait for requests by FastCGI. Sourced by start.sh.

# Who pays asks a bank, which takes a while, with the session open or closed before; many lists are put together one by one, or at once.
server_phpfpm() {
	local late=1 close='session_write_close();' merge='return array_merge(...$lists);'
	[ "$name" != blind9-phpfpm-session ] || late=25 close=''
	[ "$name" != blind9-phpfpm-merge ] || merge='$all = []; foreach ($lists as $list) { $all = array_merge($all, $list); } return $all;'
	pick rate_of 300 400
	backend=$((port + 10000))
	mkdir "$work/sessions"
	cat >"$work/shop.php" <<-PHP
	<?php
	function ask_bank(\$what) {
	    \$peer = stream_socket_client("tcp://127.0.0.1:" . getenv("BANK"));
	    fwrite(\$peer, "GET /20 HTTP/1.0\r\n\r\n");
	    usleep($late * 1000);
	    \$answer = stream_get_contents(\$peer);
	    fclose(\$peer);
	    return strlen(\$answer) . " for " . \$what;
	}
	function pay(\$what) {
	    session_start();
	    \$_SESSION["count"] = (\$_SESSION["count"] ?? 0) + 1;
	    $close
	    return "paid " . ask_bank(\$what) . " " . \$_SESSION["count"];
	}
	function look_at(\$what) {
	    session_start();
	    \$count = \$_SESSION["count"] ?? 0;
	    session_write_close();
	    return "basket " . \$what . " " . \$count;
	}
	function put_together(\$lists) {
	    $merge
	}
	function list_parts(\$what) {
	    \$lists = [];
	    for (\$i = 0; \$i < 450; \$i++) {
	        \$lists[] = ["part " . \$i, \$what, \$i, "a", "b", "c"];
	    }
	    return "parts " . count(put_together(\$lists));
	}
	function digest(\$text) {
	    return hash_pbkdf2("sha256", \$text, "salt", 1500);
	}
	\$parts = explode("/", \$_SERVER["REQUEST_URI"]);
	switch (\$parts[1]) {
	case "pay": echo pay(\$parts[2]); break;
	case "basket": echo look_at(\$parts[2]); break;
	case "list": echo list_parts(\$parts[2]); break;
	case "digest": echo digest(\$parts[2]); break;
	default: echo "page ", \$parts[2];
	}
	PHP
	cat >"$work/fpm.conf" <<-CONF
	[global]
	error_log = $work/fpm.log
	daemonize = no
	[www]
	user = nobody
	group = nogroup
	listen = 127.0.0.1:$port
	pm = static
	pm.max_children = 4
	env[BANK] = $backend
	php_value[session.save_path] = $work/sessions
	php_value[session.use_strict_mode] = 0
	php_value[session.gc_probability] = 0
	php_value[opcache.enable] = 1
	CONF
	chmod 755 "$work"
	chown nobody "$work/sessions"
	export SCRIPT=$work/shop.php
	"$program" -y "$work/fpm.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
