# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's aiosmtpd (Python), one loop of asyncio, which keeps letters. Sourced by start.sh.

# There is a copy for who gets it: in a directory of letters, each of which is synced, or at the end of a file.
server_aiosmtpd() {
	local keep='with open(self.path, "ab") as kept: kept.write(content)'
	[ "$name" != blind7-aiosmtpd-letters ] || keep='self.box.add(content)'
	cat >"$work/letters.py" <<-PY
	import asyncio
	import mailbox
	from aiosmtpd.smtp import SMTP


	class Keeper:
	    path = "$work/letters"
	    box = mailbox.Maildir("$work/box")

	    def keep_letter(self, content):
	        $keep

	    async def handle_DATA(self, server, session, envelope):
	        for _ in envelope.rcpt_tos:
	            self.keep_letter(envelope.original_content)
	        return "250 kept"


	async def main():
	    keeper = Keeper()
	    server = await asyncio.get_running_loop().create_server(lambda: SMTP(keeper, hostname="near.test"), "127.0.0.1", $port)
	    await server.serve_forever()


	asyncio.run(main())
	PY
	"$program" "$work/letters.py" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
