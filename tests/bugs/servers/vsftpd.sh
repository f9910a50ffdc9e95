# SPDX-License-Identifier: GPL-2.0-only
# Vsftpd in the bench: processes for each session, whose listings are of names that a pattern lets through.
# shellcheck disable=SC2154
bug_tarball=yes bug_suite=trixie

configure_vsftpd() {
	:
}

make_vsftpd() {
	make -s CFLAGS="$cflags -idirafter dummyinc" LINK=
}

install_vsftpd() {
	cp vsftpd "$1/"
}

server_vsftpd() {
	local i
	chmod 755 "$work"
	mkdir "$work/ftp" "$work/empty"
	for ((i = 0; i < 10; i++)); do
		: >"$work/ftp/p$i-readme"
	done
	: >"$work/ftp/aaaaaaaaaaaaaaaaaaaa1"
	: >"$work/ftp/aaaaaaaaaaaaaaaaaaaa2"
	chmod 555 "$work/ftp" "$work/empty"
	printf '%s\n' listen=YES background=NO listen_address=127.0.0.1 "listen_port=$port" anonymous_enable=YES \
		"anon_root=$work/ftp" ftp_username=games nopriv_user=nobody "secure_chroot_dir=$work/empty" \
		seccomp_sandbox=NO max_clients=0 >"$work/vsftpd.conf"
	"$program" "$work/vsftpd.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
