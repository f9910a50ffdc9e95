# SPDX-License-Identifier: GPL-2.0-only
# Nbdkit in the bench: threads for each client of a block device, which is slow or not and has a cache before it.
# shellcheck disable=SC2154
bug_tarball=yes bug_suite=trixie

configure_nbdkit() {
	[ -x configure ] || autoreconf -fi
	./configure --quiet --disable-perl --disable-python --disable-ruby --disable-tcl --disable-lua --disable-ocaml --disable-rust --disable-golang --disable-vddk \
		--disable-torrent --without-libvirt --without-curl --without-ssh --without-libnbd --without-gnutls --without-libguestfs --without-ext2 --without-iso \
		--without-zlib --without-libblkio --without-bash-completions CFLAGS="$cflags"
}

make_nbdkit() {
	local part
	for part in common/*/Makefile server/Makefile plugins/memory/Makefile filters/cache/Makefile filters/delay/Makefile; do
		make -s -j"$jobs" -C "${part%/*}"
	done
}

install_nbdkit() {
	cp server/nbdkit plugins/memory/.libs/*.so filters/cache/.libs/*.so filters/delay/.libs/*.so "$1/"
}

server_nbdkit() {
	local late=1ms
	[ "$name" != blind8-nbdkit-cache ] || late=15ms
	TMPDIR=$work "$program" -f -i 127.0.0.1 -p "$port" -t 16 --filter="${program%/*}/nbdkit-cache-filter.so" --filter="${program%/*}/nbdkit-delay-filter.so" \
		"${program%/*}/nbdkit-memory-plugin.so" 2G cache-on-read=true "rdelay=$late" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
