# SPDX-License-Identifier: GPL-2.0-only
# Atftpd in the bench: a thread for each file that is sent by datagrams.
# shellcheck disable=SC2154

configure_atftpd() {
	./configure --quiet --enable-libpcre CFLAGS="$cflags"
}

make_atftpd() {
	make -s -j"$jobs" atftpd
}

install_atftpd() {
	cp atftpd "$1/"
}
