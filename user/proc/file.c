// SPDX-License-Identifier: GPL-2.0-only
/* Small reads below /proc, where a file has no size and may vanish between two calls. */
#include "proc/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"

#define FILE_BYTES_MAX (256u << 20)

static int read_all(int fd, char **ret_text, size_t *ret_bytes)
{
	size_t size = 4096, used = 0;
	char *text = malloc(size), *larger;
	ssize_t got;

	if (!text)
		return -ENOMEM;
	for (;;) {
		got = read(fd, text + used, size - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
		if (size - used > 1)
			continue;
		size *= 2;
		larger = size <= FILE_BYTES_MAX ? realloc(text, size) : NULL;
		if (!larger) {
			free(text);
			return size <= FILE_BYTES_MAX ? -ENOMEM : -EFBIG;
		}
		text = larger;
	}
	if (got < 0) {
		int err = -errno;

		free(text);
		return err;
	}
	text[used] = '\0';
	*ret_text = text;
	*ret_bytes = used;
	return 0;
}

static int read_path(char **ret_text, size_t *ret_bytes, const char *format, va_list arguments)
{
	char path[PATH_MAX];
	int fd, err = vsnprintf(path, sizeof(path), format, arguments);

	if (err < 0 || (size_t)err >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = read_all(fd, ret_text, ret_bytes);
	close(fd);
	return err;
}

int scope_proc_file_read(char **ret_text, const char *format, ...)
{
	va_list arguments;
	size_t bytes;
	int err;

	va_start(arguments, format);
	err = read_path(ret_text, &bytes, format, arguments);
	va_end(arguments);
	return err;
}

int scope_proc_file_read_bytes(char **ret_text, size_t *ret_bytes, const char *format, ...)
{
	va_list arguments;
	int err;

	va_start(arguments, format);
	err = read_path(ret_text, ret_bytes, format, arguments);
	va_end(arguments);
	return err;
}

static int by_number(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static int collect(DIR *directory, uint32_t **ret_numbers, size_t *ret_count)
{
	uint32_t *numbers = NULL;
	size_t count = 0, room = 0;
	struct dirent *entry;
	unsigned long number;
	char *end;

	while ((entry = readdir(directory))) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		number = strtoul(entry->d_name, &end, 10);
		if (*end || number > UINT32_MAX)
			continue;
		if (scope_grow(&numbers, &room, count + 1, sizeof(*numbers))) {
			free(numbers);
			return -ENOMEM;
		}
		numbers[count++] = (uint32_t)number;
	}
	if (count)
		qsort(numbers, count, sizeof(*numbers), by_number);
	*ret_numbers = numbers;
	*ret_count = count;
	return 0;
}

int scope_proc_file_numbers(const char *directory, int (*each)(uint32_t number, void *context), void *context)
{
	DIR *open_directory = opendir(directory);
	uint32_t *numbers;
	size_t count, i;
	int err;

	if (!open_directory)
		return -errno;
	err = collect(open_directory, &numbers, &count);
	closedir(open_directory);
	if (err)
		return err;
	for (i = 0; i < count && !err; i++)
		err = each(numbers[i], context);
	free(numbers);
	return err;
}

long scope_proc_file_number(const char *path, long otherwise)
{
	long number = otherwise;
	char *text;

	if (!scope_proc_file_read(&text, "%s", path)) {
		number = strtol(text, NULL, 10);
		free(text);
	}
	return number;
}

const char *scope_proc_file_field(const char *text, const char *key)
{
	size_t length = strlen(key);

	while (text && *text) {
		if (!strncmp(text, key, length)) {
			text += length;
			return text + strspn(text, " \t");
		}
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return NULL;
}
