# SPDX-License-Identifier: GPL-2.0-only
# Sslh in the bench: one loop that hands connections on by what they begin with.
# shellcheck disable=SC2154

configure_sslh() {
	:
}

make_sslh() {
	make -s sslh-select CFLAGS="$cflags" ENABLE_REGEX= USELIBCONFIG=1 USELIBWRAP=
}

install_sslh() {
	cp sslh-select "$1/sslh"
}
