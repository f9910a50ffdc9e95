# SPDX-License-Identifier: GPL-2.0-only
# mini_httpd in the bench: a process for each connection.
# shellcheck disable=SC2154
bug_tarball=yes

configure_mini-httpd() { :; }

make_mini-httpd() {
	make -s mime_encodings.h mime_types.h
	# shellcheck disable=SC2086
	cc $cflags -o mini-httpd mini_httpd.c match.c tdate_parse.c -lcrypt
}

install_mini-httpd() {
	cp mini-httpd "$1/"
}

# The one who asks stands last in the file of those who may.
server_mini-httpd() {
	local i size=10
	[ "$name" != history-members ] || size=150000
	mkdir -p "$work/www/members"
	for ((i = 1; i <= 9; i++)); do head -c $((i * 900)) /dev/zero | tr '\0' x | tee "$work/www/page$i.html" >"$work/www/members/page$i.html"; done
	awk -v size="$size" 'BEGIN { for (i = 0; i < size; i++) printf "user%06d:abJnggxhB/yWI\n", i }' >"$work/www/members/.htpasswd"
	python3 -W ignore -c 'import crypt; print("late:" + crypt.crypt("secret", "ab"))' >>"$work/www/members/.htpasswd"
	"$program" -D -h 127.0.0.1 -p "$port" -d "$work/www" -u root -i "$work/pid" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
