# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's MariaDB with a small shop, in which a case differs by configuration, schema or load.
# Sourced by start.sh.
. "$bugs_dir/debian/shop.sh"

mariadb_sql() {
	mariadb --no-defaults -h 127.0.0.1 -P "$port" -u root -N "$@"
}

# The schema is the healthy one; every table is small enough to stay in memory.
mariadb_shop() {
	cat <<-EOF
	CREATE DATABASE shop; USE shop;
	CREATE TABLE page (id INT PRIMARY KEY, title VARCHAR(80), body VARCHAR(2000));
	INSERT INTO page SELECT seq, CONCAT('page ', seq), REPEAT('x', seq) FROM seq_1_to_1000;
	CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(40));
	INSERT INTO customer SELECT seq, CONCAT('customer ', seq) FROM seq_1_to_5000;
	CREATE TABLE orders (id INT PRIMARY KEY, customer INT, amount INT, KEY customer (customer));
	INSERT INTO orders SELECT seq, seq MOD 5000 + 1, seq MOD 97 FROM seq_1_to_20000;
	CREATE TABLE stock (id INT PRIMARY KEY, n INT);
	INSERT INTO stock SELECT seq, 1000 FROM seq_1_to_100;
	CREATE TABLE visit (id INT PRIMARY KEY AUTO_INCREMENT, page INT);
	EOF
}

# What a case asks of the healthy server too; and what makes it a bug.
mariadb_case() {	# CASE
	options=() rare='SELECT name FROM customer WHERE id = @ID@' usual='' ids=5000 bug_options=() bug_schema='' bug_rare=
	case "$1" in
	mariadb-noindex)
		rare='SELECT c.name, SUM(o.amount) FROM customer c JOIN orders o ON o.customer = c.id
			WHERE c.id = @ID@'
		bug_schema='ALTER TABLE orders DROP KEY customer;' ;;
	mariadb-binlog)
		rare='INSERT INTO visit (page) VALUES (@ID@)'
		options=(--log-bin="$work/data/binlog" --sync-binlog=0)
		bug_options=(--sync-binlog=1) ;;
	mariadb-locked)
		rare='UPDATE stock SET n = n + 1 WHERE id = 1 + @ID@ % 100'
		usual='SELECT n FROM stock WHERE id = @ID@'
		bug_rare="LOCK TABLES stock WRITE; $rare; SELECT SLEEP(0.02); UNLOCK TABLES" ;;
	esac
}

server_mariadb() {
	local options bug_options bug_schema bug_rare sql
	mariadb_case "${TRIGGER:-$name}"
	if [ "$bug_kind" = none ]; then
		bug_options=() bug_schema=
	else
		rare=${bug_rare:-$rare}
	fi
	own_work
	"${as_nobody[@]}" mariadb-install-db --no-defaults --datadir="$work/data" --skip-test-db \
		--skip-name-resolve --auth-root-authentication-method=normal \
		--innodb-log-file-size=8M >"$work/install.log" 2>&1 ||
		die "no database could be made: see $work/install.log"
	"${as_nobody[@]}" "$program" --no-defaults --datadir="$work/data" --bind-address=127.0.0.1 \
		--port="$port" --socket="$work/data/socket" --skip-name-resolve \
		--innodb-log-file-size=8M --innodb-buffer-pool-size=64M \
		--innodb-flush-log-at-trx-commit=2 "${options[@]}" "${bug_options[@]}" \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	wait_for 30 answers "$port" || die "$name does not listen: see $work/server.log"
	sql=$(mariadb_shop; echo "$bug_schema")
	mariadb_sql <<<"$sql" >"$work/schema.log" 2>&1 || die "no tables: see $work/schema.log"
}

load_shop() {
	load_shop_by mysql --mysql-host=127.0.0.1 --mysql-port="$port" --mysql-user=root \
		--mysql-db=shop
}
