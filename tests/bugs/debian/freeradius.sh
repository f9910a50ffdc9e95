# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's FreeRADIUS with a file of users and a log of sessions by line. Sourced by start.sh.

server_freeradius() {
	local i size=0 locking=no
	# shellcheck disable=SC2034
	udp=yes
	[ "$name" != history-users ] || size=20000
	[ "$name" != history-detail ] || locking=yes
	export LOCKED=$work/detail-slow
	mkdir "$work/raddb"
	: >"$LOCKED"
	# shellcheck disable=SC2016
	echo '$INCLUDE /usr/share/freeradius/dictionary' >"$work/raddb/dictionary"
	{
		for ((i = 1; i < 50; i++)); do printf 'user%d Cleartext-Password := "secret"\n\n' "$i"; done
		awk -v size="$size" 'BEGIN { for (i = 0; i < size; i++)
			printf "DEFAULT Called-Station-Id == \"00-00-%05d:net\"\n\tReply-Message := \"%d\"\n\n", i, i }'
		printf 'late Cleartext-Password := "secret"\n'
	} >"$work/users"
	cat >"$work/raddb/radiusd.conf" <<-CONF
	prefix = /usr
	localstatedir = $work
	libdir = /usr/lib/freeradius
	logdir = $work
	run_dir = $work
	max_requests = 16384
	log { destination = files
		file = $work/radius.log
		auth = no }
	security { allow_core_dumps = no }
	thread pool { start_servers = 6
		max_servers = 6
		min_spare_servers = 1
		max_spare_servers = 6
		max_requests_per_server = 0 }
	client here { ipaddr = 127.0.0.1
		secret = testing123
		require_message_authenticator = no }
	modules {
		files { usersfile = $work/users
		}
		pap {
		}
		detail { filename = $work/detail-%{NAS-Port-Id}
			locking = $locking
		}
	}
	server default {
		listen { type = $([ "$case_name" = history-detail ] && echo acct || echo auth)
			ipaddr = 127.0.0.1
			port = $port }
		authorize { files
			pap
		}
		authenticate { pap
		}
		accounting { detail
		}
	}
	CONF
	"$program" -f -d "$work/raddb" -D /usr/share/freeradius >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
