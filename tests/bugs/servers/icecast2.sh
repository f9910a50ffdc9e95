# SPDX-License-Identifier: GPL-2.0-only
# Icecast in the bench: threads, one of which lets listeners in.
# shellcheck disable=SC2154
bug_tarball=yes

configure_icecast2() {
	./configure --quiet CFLAGS="$cflags"
}

make_icecast2() {
	make -s -j"$jobs"
}

install_icecast2() {
	cp src/icecast "$1/icecast2"
	cp -r web "$1/"
}

# Listeners of one stream must give a password, or need not.
server_icecast2() {
	local password=
	[ "$name" != blind4-icecast-listeners ] ||
		password="<authentication type='htpasswd'><option name='filename' value='$work/people'/></authentication>"
	mkdir "$work/web"
	chmod a+rx "$work" "$work/web"
	cp -r "$servers_dir/$name/web" "$work/admin"
	echo 'A page, and no more.' >"$work/web/page.txt"
	echo "ann:$(printf secret | md5sum | cut -d' ' -f1)" >"$work/people"
	chmod a+rw "$work/people"
	mkdir -m 777 "$work/log"
	cat >"$work/icecast.xml" <<-XML
	<icecast><limits><clients>100</clients><sources>2</sources></limits>
	<authentication><source-password>a</source-password><admin-user>a</admin-user><admin-password>a</admin-password></authentication>
	<hostname>localhost</hostname><listen-socket><port>$port</port><bind-address>127.0.0.1</bind-address></listen-socket>
	<mount type="normal"><mount-name>/music</mount-name>$password</mount><fileserve>1</fileserve>
	<paths><basedir>$work</basedir><logdir>$work/log</logdir><webroot>$work/web</webroot><adminroot>$work/admin</adminroot></paths>
	<logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>2</loglevel></logging>
	<security><chroot>0</chroot><changeowner><user>nobody</user><group>nogroup</group></changeowner></security></icecast>
	XML
	"$program" -c "$work/icecast.xml" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
