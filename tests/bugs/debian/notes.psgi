# SPDX-License-Identifier: GPL-2.0-only
# Takes notes as they are sent, without the space at their ends. With TRIM_WORDS set, by a pattern that looks for the end
# after each space.
use strict;
use warnings;

sub trim_quickly {
	my ($note) = @_;
	my $end = length $note;
	$end-- while $end && substr($note, $end - 1, 1) =~ /\s/;
	return substr $note, 0, $end;
}

sub trim_slowly {
	my ($note) = @_;
	$note =~ s/^\s+|\s+$//g;
	return $note;
}

my $trim = $ENV{TRIM_WORDS} ? \&trim_slowly : \&trim_quickly;

sub {
	my ($env) = @_;
	my $note = '';
	$env->{'psgi.input'}->read($note, $env->{CONTENT_LENGTH} || 0);
	my $kept = $trim->($note);
	my $words = () = $kept =~ /x+/g;
	return [200, ['Content-Type' => 'text/plain', 'Content-Length' => length "$words\n"], ["$words\n"]];
}
