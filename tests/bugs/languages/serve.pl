# SPDX-License-Identifier: GPL-2.0-only
# A web server in Perl, of processes that were forked, of which each path but / is a bug of its own: see languages.py.
use strict;
use warnings;
use Compress::Zlib ();
use Digest::SHA ();
use Fcntl qw(:DEFAULT :flock);
use IO::Handle;
use IO::Socket::INET;
use JSON::PP ();
use POSIX ();
use Socket qw(IPPROTO_TCP TCP_NODELAY);
use Storable ();
use Time::HiRes ();

my ($port, $peer, $folder) = @ARGV;
my $words = 'the quick brown fox jumps over the lazy dog ' x 3000;
my @visits;

sub usual {
	my $sum = 0;
	$sum += $_ * $_ for 0 .. 19_999;
	return $sum;
}

# The paths of the server.
package Kinds {
	sub countWords {
		my $n = 0;
		for my $letter (split //, $words) { $n++ if $letter eq ' ' }
		return $n;
	}

	sub matchRules {
		my $line = 'a' . ' ' x 1800 . 'b';
		return $line =~ /(?:\s|,)+$/ ? 1 : 0;
	}

	sub packReport {
		return length JSON::PP::encode_json([map { { a => $_, b => "$_" } } 0 .. 1999]);
	}

	sub sortPrices {
		my @list = sort { $b <=> $a || $a cmp $b } map { $_ * 7919 % 10007 . '' } 0 .. 25_000;
		return $list[0];
	}

	sub writeLedger {
		open my $ledger, '>>', "$folder/ledger" or die;
		flock $ledger, main::LOCK_EX;
		Time::HiRes::sleep(0.02);
		close $ledger;
		return 0;
	}

	sub takeNap {
		Time::HiRes::sleep(0.02);
		return 0;
	}

	sub readPages {
		my $n = 0;
		for (1 .. 1600) {
			open my $page, '<', '/etc/passwd' or die;
			local $/;
			$n += length <$page>;
		}
		return $n;
	}

	sub runHook { return system 'sleep', '0.02' }

	sub ask {
		my ($what) = @_;
		my $socket = IO::Socket::INET->new(PeerAddr => $peer) or die;
		syswrite $socket, $what;
		return length(<$socket> // '');
	}

	sub askPeer { return ask("slow\n") }

	sub makeCopies {
		my $text = '';
		for (1 .. 300) { $text = reverse $text . substr $words, 0, 1000 }
		return length $text;
	}

	sub saveNote {
		open my $note, '>', "$folder/note" or die;
		for (1 .. 20) {
			syswrite $note, "note\n";
			$note->sync;
		}
		return 0;
	}

	sub hashParts {
		my $hash = 'secret';
		$hash = Digest::SHA::sha256($hash, 'salt') for 1 .. 30_000;
		return length $hash;
	}

	sub parseOrders {
		return scalar @{ JSON::PP::decode_json('[' . '{"name":"a book","price":12},' x 900 . '{}]') };
	}

	sub packFiles { return length Compress::Zlib::memGzip($words x 40) }

	sub formatRows {
		my $n = 0;
		$n += length POSIX::strftime('%Y-%m-%d %H:%M:%S', gmtime $_) . sprintf '%10.2f', $_ for 0 .. 4000;
		return $n;
	}

	# Holds the lock while it writes; others wait for it.
	sub writeBook {
		open my $book, '>', "$folder/book" or die;
		flock $book, main::LOCK_EX;
		for (1 .. 20) {
			syswrite $book, "page\n";
			$book->sync;
		}
		return 0;
	}

	sub statPaths {
		my $n = 0;
		for (1 .. 20_000) { $n++ if -e '/usr/share/none' }
		return $n;
	}

	sub fail { die { row => $_[0] } }

	sub raiseErrors {
		my $n = 0;
		for my $i (1 .. 50_000) { eval { fail($i); 1 } or $n++ }
		return $n;
	}

	sub pollAnswer {
		my ($n, $ending) = (0, Time::HiRes::time() + 0.02);
		$n++ while Time::HiRes::time() < $ending;
		return $n;
	}

	sub makeTree { my ($depth) = @_; return $depth ? [map { makeTree($depth - 1) } 1 .. 2] : "$depth" }

	sub makeGarbage { return scalar @{ makeTree(15) } }

	sub copyOrders {
		return scalar @{ Storable::dclone([map { { a => $_, b => "$_" } } 1 .. 14_000]) };
	}

	sub findVisit {
		push @visits, (scalar @visits) x 400;
		return scalar grep { $_ == -1 } @visits;
	}

	sub readJournal {
		open my $journal, '+>>', "$folder/journal" or die;
		print $journal "a visit\n" x 20;
		seek $journal, 0, 0;
		my $n = 0;
		$n += length while <$journal>;
		return $n;
	}

	sub takeLock {
		open my $one, '>', "$folder/held" or die;
		open my $other, '>', "$folder/held" or die;
		flock $one, main::LOCK_EX;
		flock $other, main::LOCK_EX;
		return 0;
	}

	sub waitAnswer {
		pipe my $end, my $begin;
		return length <$end>;
	}

	sub waitAny {
		pipe my $end, my $begin;
		vec(my $ready = '', fileno $end, 1) = 1;
		return select $ready, undef, undef, undef;
	}

	sub waitGroup {
		my $pid = fork // die;
		if (!$pid) {
			sleep 1000;
			POSIX::_exit(0);
		}
		return waitpid $pid, 0;
	}

	sub sendOrder {
		pipe my $end, my $begin;
		return syswrite $begin, $words;
	}

	sub waitChild { return length `sleep 1000` }

	sub readPeer { return ask("never\n") }

	sub spinOn {
		my $n = 0;
		$n = 1 - $n while $n >= 0;
		return $n;
	}

	sub awaitFlag {
		Time::HiRes::sleep(0.02) until -e "$folder/flag";
		return 0;
	}

	sub readFifo {
		POSIX::mkfifo("$folder/fifo", 0600);
		open my $fifo, '<', "$folder/fifo" or die;
		return length <$fifo>;
	}
}

sub run {
	my ($path) = @_;
	my $n = usual();
	$n += Kinds->can($path)->() if $path;
	return "$n\n";
}

sub answer {
	my ($client, $path) = @_;
	my $body = run($path);
	syswrite $client, "HTTP/1.1 200 OK\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
	return;
}

sub serveClient {
	my ($client) = @_;
	setsockopt $client, IPPROTO_TCP, TCP_NODELAY, 1;
	while (my $line = <$client>) {
		while (my $header = <$client>) { last if $header eq "\r\n" }
		answer($client, $line =~ m{^GET /(\w*) });
	}
	return;
}

$SIG{PIPE} = 'IGNORE';
my $listener = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1', LocalPort => $port, ReuseAddr => 1) or die;
for (1 .. 8) {
	next if fork // die;
	while (1) {
		my $client = $listener->accept or next;
		serveClient($client);
	}
}
1 while wait > 0;
