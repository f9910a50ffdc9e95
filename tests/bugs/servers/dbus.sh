# SPDX-License-Identifier: GPL-2.0-only
# The message bus of D-Bus in the bench: one loop for all that speak to one another.
# shellcheck disable=SC2154
bug_tarball=yes

configure_dbus() {
	./configure --quiet --disable-doxygen-docs --disable-xml-docs --disable-selinux --disable-systemd --disable-tests --without-x --disable-libaudit \
		--disable-apparmor CFLAGS="$cflags"
}

make_dbus() {
	make -s -j"$jobs"
}

install_dbus() {
	cp bus/.libs/dbus-daemon "$1/dbus"
	cp -L dbus/.libs/libdbus-1.so.3 "$1/"
}

# Who listens has many rules for what they want to hear, or few; there are files enough, or not.
server_dbus() {
	export SIZE=20
	[ "$name" != blind9-dbus-rules ] || SIZE=15000
	unset SPARE
	[ "$name" != blind9-dbus-files ] || export SPARE=9
	pick rate_of 300 400
	cat >"$work/bus.conf" <<-CONF
	<busconfig>
	  <type>session</type>
	  <listen>tcp:host=127.0.0.1,port=$port,family=ipv4</listen>
	  <auth>ANONYMOUS</auth>
	  <allow_anonymous/>
	  <policy context="default">
	    <allow send_destination="*" eavesdrop="true"/>
	    <allow eavesdrop="true"/>
	    <allow own="*"/>
	  </policy>
	  <limit name="max_match_rules_per_connection">100000</limit>
	  <limit name="max_incomplete_connections">1000</limit>
	  <limit name="max_connections_per_user">10000</limit>
	  <limit name="auth_timeout">240000</limit>
	</busconfig>
	CONF
	LD_LIBRARY_PATH=${program%/*} "$program" --config-file="$work/bus.conf" --nofork --nopidfile >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
