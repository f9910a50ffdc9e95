# SPDX-License-Identifier: GPL-2.0-only
# Apache httpd in the bench: processes forked beforehand, and what each case sets.
# shellcheck disable=SC2154
# (case_name is the case whose load is sent, name what runs: for a healthy twin they differ.)

configure_apache2() {
	./configure --quiet --with-mpm=prefork --enable-modules=none \
		--enable-mods-static='authz_core authz_host authn_core unixd log_config mime dir autoindex rewrite' \
		CFLAGS="$cflags"
}

# The source package asks for the time at which it was built.
make_apache2() {
	make -s -j"$jobs" CPPFLAGS='-DBUILD_DATETIME=\"bench\"'
}

install_apache2() {
	cp httpd "$1/apache2"
}

# 900 ranges of one byte, in a header as long as is taken.
many_ranges() {
	awk 'BEGIN { printf "Range: bytes=0-0"; for (i = 1; i < 900; i++) printf ",%d-%d", 2 * i, 2 * i }'
}

# The answers of a map program, of which some take 10 ms.
route_program() {
	cat >"$work/route" <<-'EOT'
	#!/usr/bin/perl
	$| = 1;
	while (<STDIN>) {
		select undef, undef, undef, 0.01 if /catalogue/;
		print;
	}
	EOT
	chmod 755 "$work/route"
}

apache2_settings() {	# CASE
	case "$1" in
	apache-ranges) echo 'MaxRanges unlimited' ;;
	apache-index) printf '%s\n' 'DirectoryIndex disabled' "<Directory $work/www/files>" \
		'Options Indexes' '</Directory>' ;;
	apache-htaccess) printf '%s\n' "<Directory $work/www>" 'AllowOverride FileInfo' '</Directory>' ;;
	apache-route)
		route_program
		# shellcheck disable=SC2016
		printf '%s\n' 'RewriteEngine On' "RewriteMap route prg:$work/route" \
			'RewriteRule ^/(.*)$ /${route:$1} [PT]' ;;
	esac
}

server_apache2() {
	pick pages 10 40
	pick page_bytes 2000 30000
	document_tree
	chmod 755 "$work"
	case "$case_name" in
	apache-ranges) long_header=$(many_ranges) ;;
	apache-index) large_directory 500 ;;
	apache-htaccess)
		awk 'BEGIN { for (i = 0; i < 1500; i++) print "AddType application/x-kind" i " .kind" i }' \
			>"$work/www/catalogue-ru/.htaccess" ;;
	esac
	{
		cat <<-EOT
		ServerRoot $work
		DefaultRuntimeDir $work
		PidFile $work/apache2.pid
		ServerName localhost
		Listen 127.0.0.1:$port
		User www-data
		Group www-data
		StartServers 24
		MinSpareServers 2
		MaxSpareServers 32
		MaxRequestWorkers 32
		MaxKeepAliveRequests 0
		KeepAliveTimeout 60
		ErrorLog $work/error.log
		LogFormat "%h %t \"%r\" %>s %b" short
		CustomLog $work/access.log short
		TypesConfig /dev/null
		DocumentRoot $work/www
		DirectoryIndex index.html
		<Directory $work/www>
			Require all granted
			AllowOverride None
			Options FollowSymLinks
		</Directory>
		EOT
		apache2_settings "$name"
	} >"$work/apache2.conf"
	# When it ends it ends its whole process group.
	setsid "$program" -DFOREGROUND -f "$work/apache2.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
