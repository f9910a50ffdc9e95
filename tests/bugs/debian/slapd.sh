# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's OpenLDAP with 30,000 people, and a group of a few or of many. Sourced by start.sh.

server_slapd() {
	local i index='index objectClass,uid,employeeNumber eq' size=10
	[ "$name" != history-index ] || index='index objectClass,uid eq'
	[ "$name" != history-group ] || size=20000
	mkdir "$work/db"
	{
		printf 'include /etc/ldap/schema/%s.schema\n' core cosine inetorgperson
		printf '%s\n' 'modulepath /usr/lib/ldap' 'moduleload back_mdb' "pidfile $work/pid" 'threads 8' 'database mdb' 'suffix dc=x' \
			'rootdn cn=admin,dc=x' 'rootpw secret' "directory $work/db" 'maxsize 1000000000' 'dbnosync' "$index"
	} >"$work/slapd.conf"
	awk -v size="$size" 'BEGIN {
		printf "dn: dc=x\nobjectClass: dcObject\nobjectClass: organization\ndc: x\no: x\n\n"
		printf "dn: ou=people,dc=x\nobjectClass: organizationalUnit\nou: people\n\n"
		for (i = 0; i < 30000; i++) {
			printf "dn: uid=user%d,ou=people,dc=x\nobjectClass: inetOrgPerson\nuid: user%d\ncn: User %d\nsn: %d\n", i, i, i, i
			printf "employeeNumber: %d\nmail: user%d@example.com\ndescription: one of many people\n\n", 100000 + i, i
		}
		printf "dn: cn=all,dc=x\nobjectClass: groupOfNames\ncn: all\n"
		for (i = 0; i < size; i++) printf "member: uid=user%d,ou=people,dc=x\n", i
	}' >"$work/people.ldif"
	slapadd -q -f "$work/slapd.conf" -l "$work/people.ldif" >"$work/install.log" 2>&1 || die "no directory: see $work/install.log"
	"$program" -d 0 -f "$work/slapd.conf" -h "ldap://127.0.0.1:$port" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
