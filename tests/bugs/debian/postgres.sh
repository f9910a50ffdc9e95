# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's PostgreSQL with a small shop, in which a case differs by configuration, schema or load.
# Sourced by start.sh.
. "$bugs_dir/debian/shop.sh"

postgres_shop() {
	cat <<-EOF
	CREATE TABLE page (id INT PRIMARY KEY, title TEXT, body TEXT);
	INSERT INTO page SELECT i, 'page ' || i, repeat('x', i) FROM generate_series(1, 1000) i;
	CREATE TABLE customer (id INT PRIMARY KEY, name TEXT);
	INSERT INTO customer SELECT i, 'customer ' || i FROM generate_series(1, 25000) i;
	CREATE TABLE orders (id INT PRIMARY KEY, customer INT REFERENCES customer, amount INT);
	INSERT INTO orders SELECT i, i % 5000 + 1, i % 97 FROM generate_series(1, 20000) i;
	CREATE INDEX orders_customer ON orders (customer);
	CREATE TABLE stock (id INT PRIMARY KEY, n INT) WITH (fillfactor = 20);
	INSERT INTO stock SELECT i, 1000 FROM generate_series(1, 100) i;
	CREATE TABLE visit (id SERIAL PRIMARY KEY, page INT);
	EOF
}

# What a case asks of the healthy server too; and what makes it a bug.
postgres_case() {	# CASE
	rare='SELECT name FROM customer WHERE id = @ID@' usual='' ids=5000 bug_options=() bug_schema='' bug_rare=
	case "$1" in
	postgres-cascade)
		# Customers above 5,000 have no orders; the server must look.
		rare='DELETE FROM customer WHERE id = 5000 + @ID@' ids=20000
		bug_schema='DROP INDEX orders_customer;' ;;
	postgres-commit)
		rare='INSERT INTO visit (page) VALUES (@ID@)'
		bug_options=(-c synchronous_commit=on) ;;
	postgres-regex)
		rare="SELECT title ~ '^[a-z]+ [0-9]+\$' FROM page WHERE id = @ID@ % 1000 + 1"
		bug_rare="SELECT repeat('ab', 40) || title ~ '^(.+)(.+)\\1\\2\$' FROM page
			WHERE id = @ID@ % 1000 + 1" ;;
	postgres-idle)
		rare='BEGIN; UPDATE stock SET n = n + 1 WHERE id = 1; COMMIT'
		usual='UPDATE stock SET n = n - 1 WHERE id = @ID@ % 2 + 1'
		bug_rare='BEGIN; UPDATE stock SET n = n + 1 WHERE id = 1; sleep 20; COMMIT' ;;
	esac
}

server_postgres() {
	local bug_options bug_schema bug_rare bin=${program%/*} sql
	postgres_case "${TRIGGER:-$name}"
	if [ "$bug_kind" = none ]; then
		bug_options=() bug_schema=
	else
		rare=${bug_rare:-$rare}
	fi
	own_work
	"${as_nobody[@]}" "$bin/initdb" -D "$work/data" -U shop -A trust -N >"$work/install.log" 2>&1 ||
		die "no database could be made: see $work/install.log"
	"${as_nobody[@]}" "$program" -D "$work/data" -h 127.0.0.1 -p "$port" -k "$work" \
		-c synchronous_commit=off "${bug_options[@]}" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	wait_for 30 "$bin/pg_isready" -q -h 127.0.0.1 -p "$port" || die "$name: see $work/server.log"
	sql=$(postgres_shop; echo "$bug_schema VACUUM ANALYZE;")
	"$bin/psql" -q -h 127.0.0.1 -p "$port" -U shop -d postgres <<<"$sql" >"$work/schema.log" 2>&1 ||
		die "no tables: see $work/schema.log"
}

load_shop() {
	load_shop_by pgsql --pgsql-host=127.0.0.1 --pgsql-port="$port" --pgsql-user=shop \
		--pgsql-db=postgres
}
