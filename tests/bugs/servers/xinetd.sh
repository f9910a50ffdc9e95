# SPDX-License-Identifier: GPL-2.0-only
# Xinetd in the bench: one loop that lets clients in to services of its own.
# shellcheck disable=SC2154

configure_xinetd() {
	./configure --quiet CFLAGS="$cflags"
}

make_xinetd() {
	make -s
}

install_xinetd() {
	cp xinetd "$1/"
}
