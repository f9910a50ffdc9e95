# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Music Player Daemon, whose one loop answers questions about songs, of which there are many or few. Sourced by start.sh.

server_mpd() {
	local many=300
	[ "$name" != blind6-mpd-search ] || many=12000
	mkdir -p "$work/music/parts" "$work/lists"
	{
		printf '%s\n' info_begin 'format: 2' 'mpd_version: 0.23.12' 'fs_charset: UTF-8'
		printf 'tag: %s\n' Artist Album Title Track
		printf '%s\n' info_end 'directory: parts' "mtime: 1" 'begin: parts'
		awk -v many="$many" 'BEGIN { for (i = 0; i < many; i++)
			printf "song_begin: part%05d.ogg\nTime: 200.0\nArtist: Players %d\nAlbum: Book %d\nTitle: Song number %d\nTrack: %d\nmtime: 1\nsong_end\n", i, i % 50, i % 300, i, i % 20 }'
		echo 'end: parts'
	} >"$work/database"
	printf '%s\n' "music_directory \"$work/music\"" "playlist_directory \"$work/lists\"" "db_file \"$work/database\"" "log_file \"$work/mpd.log\"" \
		"state_file \"$work/state\"" 'bind_to_address "127.0.0.1"' "port \"$port\"" 'auto_update "no"' 'metadata_to_use "artist,album,title,track"' 'max_connections "100"' \
		'audio_output {' 'type "null"' 'name "none"' '}' >"$work/mpd.conf"
	"$program" --no-daemon "$work/mpd.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
