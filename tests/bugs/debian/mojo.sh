# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's Mojolicious (Perl), one loop, which reads lists in HTML. Sourced by start.sh.

# Each second line of a list is found by its number, or by its class. There are no more open files than it has, and clients that want more.
server_mojo() {
	local found='li.odd'
	SPARE=0
	[ "$name" != blind6-mojo-files ] || SPARE=20
	export SPARE
	[ "$name" != blind6-mojo-siblings ] || found='li:nth-child(odd)'
	cat >"$work/lists.pl" <<-PERL
	use Mojolicious::Lite -signatures;

	app->log->level("fatal");

	sub count_lines (\$dom) { return \$dom->find('$found')->size }

	post '/list' => sub (\$c) { \$c->render(text => count_lines(Mojo::DOM->new(\$c->req->body))) };
	get '/page/:number' => sub (\$c) { \$c->render(text => "page " . \$c->param('number')) };
	app->start;
	PERL
	"$program" "$work/lists.pl" daemon -r 1000000 -m production -l "http://127.0.0.1:$port" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
