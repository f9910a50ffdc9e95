// SPDX-License-Identifier: GPL-2.0-only
/* Reads the information about a kernel module from its file. */
#include "control/modinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static Elf_Data *find_section(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, wanted))
			return elf_getdata(section, NULL);
	}
	return NULL;
}

/* The section holds strings "key=value". Each ends with a zero byte, and further zero bytes may follow as padding. */
static const char *find_value(const Elf_Data *data, const char *key)
{
	size_t length = strlen(key);
	const char *at = data->d_buf, *end = at + data->d_size;

	while (at < end) {
		size_t size = strnlen(at, end - at);

		if (at + size == end)
			return NULL;
		if (size > length && !memcmp(at, key, length) && at[length] == '=')
			return at + length + 1;
		at += size + 1;
	}
	return NULL;
}

int scope_control_modinfo_read(const char *path, const char *key, struct scope_error *error, char *ret_value,
			       size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	Elf_Data *data;
	const char *value;
	Elf *elf;

	if (fd < 0)
		return scope_error_set(error, -errno, "%s cannot be read: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	data = elf ? find_section(elf, ".modinfo") : NULL;
	value = data && data->d_buf ? find_value(data, key) : NULL;
	if (value)
		snprintf(ret_value, size, "%s", value);
	else
		err = scope_error_set(error, data ? -ENODATA : -ENOEXEC,
				      data ? "%s does not say its %s"
					   : "%s is no kernel module (no %s): name the scope.ko that "
					     "`make kmod` printed",
				      path, key);
	elf_end(elf);
	close(fd);
	return err;
}
