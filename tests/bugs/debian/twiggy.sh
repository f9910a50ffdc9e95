# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's Twiggy (Perl), one loop of callbacks. Sourced by start.sh.

# The letters of a text are counted one by one from its beginning, or all at once.
server_twiggy() {
	local count='$seen{$_}++ for split //, $text;'
	[ "$name" != blind8-twiggy-letters ] || count='$seen{substr($text, $_, 1)}++ for 0 .. length($text) - 1;'
	cat >"$work/words.psgi" <<-PERL
	use strict;
	use warnings;
	use Digest::SHA qw(sha256_hex);
	use Encode qw(decode);

	sub count_letters {
	    my (\$text) = @_;
	    my %seen;
	    $count
	    return scalar(keys %seen) . " letters";
	}

	sub digest {
	    my (\$text) = @_;
	    \$text = sha256_hex(\$text) for 1 .. 800;
	    return \$text;
	}

	sub answer {
	    my (\$kind, \$rest, \$body) = @_;
	    return count_letters(decode("UTF-8", \$body)) if \$kind eq "letters";
	    return \$kind eq "digest" ? digest(\$rest) : "page \$rest";
	}

	sub {
	    my (\$env) = @_;
	    my (undef, \$kind, \$rest) = split m{/}, \$env->{PATH_INFO};
	    my \$body = "";
	    \$env->{"psgi.input"}->read(\$body, \$env->{CONTENT_LENGTH} || 0);
	    my \$said = answer(\$kind, \$rest, \$body);
	    return [200, ["Content-Type" => "text/plain", "Content-Length" => length(\$said)], [\$said]];
	};
	PERL
	"$program" --listen "127.0.0.1:$port" "$work/words.psgi" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
