// SPDX-License-Identifier: GPL-2.0-only
/*
 * Damaged directories of CTF. The library may fail in its own process, but this process continues. It refuses a
 * directory with a message. The bytes are those of the metadata, a zero byte, and of one stream.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "fuzz.h"

#include "export/formats.h"
#include "import/import.h"

static char directory[64], metadata_path[96], stream_path[96];

static void write_file(const char *path, const void *data, size_t bytes)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file))
		fuzz_die("cannot write");
}

static void clean_up(void)
{
	unlink(metadata_path);
	unlink(stream_path);
	rmdir(directory);
}

static void make_directory(void)
{
	if (directory[0])
		return;
	strcpy(directory, "/tmp/scope-fuzz-ctf-XXXXXX");
	if (!mkdtemp(directory))
		fuzz_die("cannot make a directory");
	snprintf(metadata_path, sizeof(metadata_path), "%s/metadata", directory);
	snprintf(stream_path, sizeof(stream_path), "%s/channel0_0", directory);
	atexit(clean_up);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct scope_import_choice choice = { .pid = 100 };
	const uint8_t *zero = bytes ? memchr(data, 0, bytes) : NULL;
	struct scope_import_result result;
	struct scope_error error = { "" };
	struct scope_writer *writer;
	int err, fd;

	if (!zero)
		return 0;
	make_directory();
	write_file(metadata_path, data, (size_t)(zero - data));
	write_file(stream_path, zero + 1, bytes - (size_t)(zero + 1 - data));
	fd = fuzz_memory();
	if (scope_trace_writer_create_fd(fd, "fuzz", NULL, &writer))
		fuzz_die("no memory");
	err = scope_import_ctf(directory, &choice, writer, &error, &result);
	fuzz_check_import(err, &error, writer, fd);
	return 0;
}

static size_t read_file(const char *path, uint8_t *to, size_t room)
{
	FILE *file = fopen(path, "r");
	size_t bytes;

	if (!file)
		fuzz_die("the export is not there");
	bytes = fread(to, 1, room, file);
	fclose(file);
	return bytes;
}

/* The output of `scope export ctf` for a small trace. */
static size_t make_example(uint8_t *to, size_t room)
{
	static const char text[] =
		"meta command demo\n"
		"0 0 state 100 tgid=100 state=sleeping nr=read since=0 run=5 comm=demo\n"
		"1000 0 switch 0 100 sleeping\n1100 0 exit 100 read ret=1\n"
		"2000 0 syscall 100 write enter=1500 ret=100 args=7\n2500 0 enter 100 read enter=2400 args=5\n"
		"2500 0 switch 100 0 sleeping\n9000 0 waking 100 from - hardirq\n"
		"9100 0 fork 200 parent=100 tgid=200 comm=child\n9300 0 thread_exit 200 tgid=200 last\n";
	struct scope_export_to output = { .name = "ctf", .path = directory };
	struct scope_symbols *symbols;
	struct scope_error error;
	struct scope_trace *trace;
	size_t bytes;
	int fd;

	make_directory();
	rmdir(directory);
	if (fuzz_trace_of_text(text, strlen(text), 0, &fd) || !(trace = fuzz_read(fd)) ||
	    scope_symbols_create(NULL, 0, NULL, 0, NULL, &symbols))
		fuzz_die("the example is no trace");
	if (scope_export_ctf(&(struct scope_export_from){ .trace = trace, .symbols = symbols }, &output, &error))
		fuzz_die(error.text);
	scope_symbols_destroy(symbols);
	scope_trace_close(trace);
	close(fd);
	bytes = read_file(metadata_path, to, room);
	to[bytes++] = 0;
	return bytes + read_file(stream_path, to + bytes, room - bytes);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned int seed)
{
	static uint8_t example[32 << 10];
	static size_t example_bytes;
	uint8_t *zero;
	size_t head;

	if (!example_bytes)
		example_bytes = make_example(example, sizeof(example));
	if (bytes < example_bytes / 2 || bytes > room / 2 || seed % 2) {
		memcpy(data, example, example_bytes);
		bytes = example_bytes;
	}
	zero = memchr(data, 0, bytes);
	/* The metadata, or the stream, unchanged. */
	if (zero && seed % 3) {
		head = (size_t)(zero + 1 - data);
		return head + LLVMFuzzerMutate(data + head, bytes - head, room - head);
	}
	return LLVMFuzzerMutate(data, bytes, room);
}
