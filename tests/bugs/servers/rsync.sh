# SPDX-License-Identifier: GPL-2.0-only
# Rsync's daemon in the bench: a process for each connection, which asks for a module and goes.
# shellcheck disable=SC2154
bug_tarball=yes

configure_rsync() {
	./configure --quiet --disable-xxhash --disable-zstd --disable-lz4 --disable-openssl --disable-md2man \
		--with-included-popt --with-included-zlib CFLAGS="$cflags"
}

make_rsync() {
	make -s -j"$jobs" rsync
}

install_rsync() {
	cp rsync "$1/"
}

# Who asks for the far module is looked up by address, and the name server takes 25 ms to know nothing.
server_rsync() {
	local reverse=no
	[ "$name" != blind-rsync-reverse ] || reverse=yes
	mkdir "$work/near" "$work/far"
	printf '%s\n' 'use chroot = no' 'reverse lookup = no' "log file = $work/rsync.log" '[near]' "path = $work/near" \
		'[far]' "path = $work/far" "reverse lookup = $reverse" >"$work/rsyncd.conf"
	name_server 25
	"${with_names[@]}" "$program" --daemon --no-detach --address 127.0.0.1 --port "$port" \
		--config "$work/rsyncd.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
