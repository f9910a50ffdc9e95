# SPDX-License-Identifier: GPL-2.0-only
# CUPS in the bench: one loop for all who print.
# shellcheck disable=SC2154
bug_tarball=yes

configure_cups() {
	./configure --quiet --disable-shared --disable-dbus --without-systemd --disable-gssapi --disable-pam --disable-libusb --with-tls=no \
		OPTIM="$cflags"
}

make_cups() {
	make -s -j"$jobs" -C cups libcups.a
	make -s -j"$jobs" -C scheduler cupsd
}

install_cups() {
	cp scheduler/cupsd "$1/cups"
}

# Who connects is looked up by address, or not; the name server does not answer.
server_cups() {
	local names=Off dir
	[ "$name" != blind2-cups-names ] || names=On
	for dir in root state cache spool data docs bin; do mkdir "$work/$dir"; done
	chmod a+rx "$work"
	mkdir "$work/data/mime"
	echo 'text/plain txt' >"$work/data/mime/a.types"
	for dir in 1 2 3 4 5 6 7 8 9; do printf '%*s' $((dir * 300)) '' >"$work/docs/page$dir.html"; done
	printf '%s\n' "Listen 127.0.0.1:$port" "HostNameLookups $names" 'Browsing Off' 'WebInterface Yes' 'ServerName 127.0.0.1' \
		'DefaultAuthType None' 'MaxClients 300' 'MaxClientsPerHost 300' '<Location />' 'Order allow,deny' 'Allow all' '</Location>' \
		>"$work/root/cupsd.conf"
	printf '%s\n' "ServerRoot $work/root" "StateDir $work/state" "CacheDir $work/cache" "RequestRoot $work/spool" \
		"DataDir $work/data" "DocumentRoot $work/docs" "ServerBin $work/bin" "ErrorLog $work/error.log" \
		"AccessLog $work/access.log" "PageLog $work/page.log" "User nobody" "Group nogroup" >"$work/root/cups-files.conf"
	name_server 0
	"${with_names[@]}" "$program" -f -c "$work/root/cupsd.conf" -s "$work/root/cups-files.conf" \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
