# SPDX-License-Identifier: GPL-2.0-only
# PostSRSd in the bench: a process for each connection of a mail server that asks for addresses.
# shellcheck disable=SC2154
bug_tarball=yes

configure_postsrsd() {
	:
}

# Cmake keeps the name of the folder.
make_postsrsd() {
	rm -rf build
	cmake -DGENERATE_SRS_SECRET=OFF -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$cflags" -B build . && make -s -C build postsrsd
}

install_postsrsd() {
	cp build/postsrsd "$1/"
}

server_postsrsd() {
	pick rate_of 300 450
	echo secretsecret >"$work/secret"
	"$program" -l 127.0.0.1 -f "$port" -r $((port + 1)) -d near.test -s "$work/secret" -t 1800 >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
