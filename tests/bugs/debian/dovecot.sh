# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Dovecot, a process for each session, with mailboxes of one file each. Sourced by start.sh.

# Words are looked for in one large mailbox, or a program keeps another one locked that the session appends to.
server_dovecot() {
	local messages=10 sync=never box
	[ "$name" != blind3-dovecot-search ] || messages=200
	[ "$name" != blind3-dovecot-sync ] || sync=always
	mkdir -p "$work/mail" "$work/run" "$work/state"
	chmod 755 "$work"
	awk -v messages="$messages" 'BEGIN { for (i = 0; i < messages; i++) {
		printf "From ann@x.test Thu Jan  1 00:00:00 2026\nFrom: ann@x.test\nSubject: Number %d\nMessage-Id: <%d@x.test>\n\n", i, i
		for (j = 0; j < 20; j++) printf "Line %d of message %d, which says nothing that is of interest to anybody.\n", j, i
		print "" } }' >"$work/mail/big"
	for box in inbox small; do
		printf 'From ann@x.test Thu Jan  1 00:00:00 2026\nFrom: ann@x.test\nSubject: One\n\nText\n\n' >"$work/mail/$box"
	done
	chown -R nobody:nogroup "$work/mail"
	echo "ann:{PLAIN}secret:65534:65534::$work::" >"$work/users"
	[ "$name" != blind3-dovecot-lock ] || : >"$work/locked"
	cat >"$work/dovecot.conf" <<-CONF
	base_dir = $work/run
	state_dir = $work/state
	log_path = $work/dovecot.log
	default_internal_user = dovecot
	default_internal_group = dovecot
	default_login_user = dovenull
	protocols = imap
	ssl = no
	disable_plaintext_auth = no
	first_valid_uid = 1
	first_valid_gid = 1
	mail_max_userip_connections = 200
	mail_location = mbox:$work/mail:INBOX=$work/mail/inbox
	mail_fsync = $sync
	mbox_write_locks = dotlock fcntl
	passdb {
	  driver = passwd-file
	  args = $work/users
	}
	userdb {
	  driver = passwd-file
	  args = $work/users
	}
	service imap-login {
	  chroot =
	  inet_listener imap {
	    address = 127.0.0.1
	    port = $port
	  }
	}
	service anvil {
	  chroot =
	}
	CONF
	"$program" -F -c "$work/dovecot.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
