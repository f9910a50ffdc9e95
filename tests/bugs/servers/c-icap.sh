# SPDX-License-Identifier: GPL-2.0-only
# C-icap in the bench: processes of threads that look at requests for a proxy.
# shellcheck disable=SC2154
bug_tarball=yes

configure_c-icap() {
	[ -x configure ] || autoreconf -fi
	./configure --quiet --enable-large-files --without-bdb --without-ldap --without-memcached --without-zlib --without-bzlib --without-brotli CFLAGS="$cflags"
}

make_c-icap() {
	make -s -j"$jobs"
}

install_c-icap() {
	cp .libs/c-icap "$1/"
	cp -L .libs/libicapapi.so.* services/echo/.libs/srv_echo.so "$1/"
	cp c-icap.magic "$1/"
}

# Requests with a header are compared with many patterns, or with few; who reads the log pauses, or does not.
server_c-icap() {
	local many=20 pause=0
	[ "$name" != blind9-cicap-patterns ] || many=10000
	[ "$name" != blind9-cicap-log ] || pause=1300
	pick rate_of 300 400
	mkfifo "$work/access.log"
	{
		printf '%s\n' "PidFile $work/pid" "CommandsSocket $work/ctl" 'Timeout 300' 'MaxKeepAliveRequests -1' 'KeepAliveTimeout 600' 'StartServers 2' 'MaxServers 2' \
			'MinSpareThreads 1' 'MaxSpareThreads 40' 'ThreadsPerChild 20' 'MaxRequestsPerChild 0' "Port 127.0.0.1:$port" "TmpDir $work" 'DebugLevel 0' \
			"ModulesDir ${program%/*}" "ServicesDir ${program%/*}" "LoadMagicFile ${program%/*}/c-icap.magic" "ServerLog $work/server-log" \
			'LogFormat long "%tl %a %im %iu %is %huo %<a %>a %tl %a %im %iu %is"' "AccessLog $work/access.log long" 'Service echo srv_echo.so'
		awk -v many="$many" 'BEGIN { for (i = 0; i < many; i++) printf "acl bad icap_header{X-Far} /^[a-z]+%d[0-9]*x$/\n", i }'
		echo 'icap_access deny bad'
	} >"$work/c-icap.conf"
	python3 "$bugs_dir/sealed.py" reader "$work/access.log" $$ "$pause" >"$work/reader.log" 2>&1 </dev/null &
	local early=$!
	LD_LIBRARY_PATH=${program%/*} "$program" -N -f "$work/c-icap.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	python3 "$bugs_dir/sealed.py" reader "$work/access.log" "$server_pid" "$pause" >"$work/reader.log" 2>&1 </dev/null &
	sleep 1
	kill "$early"
}
