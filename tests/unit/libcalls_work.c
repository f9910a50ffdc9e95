// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the same bytes in two ways, looks a name up, and uses a database, each in a function of its own. Prints "pid PID", waits for
 * "go", works, prints "done 0" and waits for "end". With an argument it works immediately, for strace.
 */
#include <fcntl.h>
#include <netdb.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES 100 /* in each piece */
#define PIECES 5000
#define ROWS 20

static char piece[BYTES];

__attribute__((noinline)) static void by_stdio(const char *path)
{
	FILE *file = fopen(path, "w");

	for (int i = 0; file && i < PIECES; i++)
		fwrite(piece, 1, BYTES, file);
	if (!file || fclose(file))
		exit(1);
}

__attribute__((noinline)) static void by_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < PIECES; i++)
		if (write(fd, piece, BYTES) != BYTES)
			exit(1);
	close(fd);
}

__attribute__((noinline)) static void look_up(void)
{
	struct addrinfo *found = NULL;

	if (!getaddrinfo("localhost", "80", NULL, &found))
		freeaddrinfo(found);
}

__attribute__((noinline)) static void use_database(const char *path)
{
	sqlite3 *db;

	unlink(path);
	if (sqlite3_open(path, &db) || sqlite3_exec(db, "create table t (a)", NULL, NULL, NULL))
		exit(1);
	for (int i = 0; i < ROWS; i++)
		if (sqlite3_exec(db, "insert into t values (1)", NULL, NULL, NULL))
			exit(1);
	sqlite3_close(db);
}

static void work(void)
{
	by_stdio("stdio.out");
	by_write("write.out");
	look_up();
	use_database("t.db");
}

int main(int argc, char **argv)
{
	char word[16];

	(void)argv;
	memset(piece, 'x', sizeof(piece));
	if (argc > 1) {
		work();
		return 0;
	}
	printf("pid %d\n", getpid());
	fflush(stdout);
	if (!fgets(word, sizeof(word), stdin))
		return 1;
	work();
	printf("done 0\n");
	fflush(stdout);
	return fgets(word, sizeof(word), stdin) ? 0 : 1;
}
