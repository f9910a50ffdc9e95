// SPDX-License-Identifier: GPL-2.0-only
/* Maps and drains the per-CPU rings of a session (scope/ring.h). */
#include "source/rings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

struct scope_rings {
	int fd;
	struct scope_ioc_info info;
	uint32_t mapped; /* rings */
	uint8_t *copy;	 /* one sub-buffer, in flight mode; else NULL */
	struct ring {
		const struct scope_ring_page *page; /* NULL: no such CPU */
		uint64_t next;			    /* number of the sub-buffer to read next */
	} * ring;				    /* info.cpus of them */
};

static int no_device(int err, struct scope_error *error)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return scope_error_set(error, -EPERM,
				       "no permission to open %s: run as root (or with CAP_SYS_ADMIN or "
				       "CAP_PERFMON and access to that file); where root is refused, too, "
				       "the kernel is locked down for confidentiality "
				       "(/sys/kernel/security/lockdown), and boots without "
				       "lockdown=confidentiality",
				       SCOPE_DEVICE_PATH);
	case -ECANCELED:
		return scope_error_set(error, err,
				       "the scope module was set to refuse sessions (its parameter "
				       "disable): `echo 0 > /sys/module/scope/parameters/disable`, and take "
				       "scope.disable=1 off the kernel's command line, or disable=1 out of "
				       "/etc/modprobe.d");
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		return scope_error_set(error, -ENOENT,
				       "the scope module is loaded, but %s is missing: in a container, "
				       "run scope on the host; else `mknod %s c 10 MINOR`, with the number "
				       "beside `scope` in /proc/misc",
				       SCOPE_DEVICE_PATH, SCOPE_DEVICE_PATH);
	default:
		return scope_error_set(error, err, "cannot open %s: %s", SCOPE_DEVICE_PATH, strerror(-err));
	}
}

static int read_info(struct scope_rings *rings, struct scope_error *error)
{
	if (ioctl(rings->fd, SCOPE_IOC_INFO, &rings->info))
		return scope_error_set(error, -errno,
				       "%s does not answer as the scope module does (%s): load the "
				       "scope.ko of the same release",
				       SCOPE_DEVICE_PATH, strerror(errno));
	return 0;
}

int scope_source_rings_open(struct scope_error *error, struct scope_rings **ret_rings, uint32_t *ret_session)
{
	struct scope_rings *rings = calloc(1, sizeof(*rings));
	int err;

	if (!rings)
		return scope_error_set(error, -ENOMEM, "no memory for the rings");
	rings->fd = open(SCOPE_DEVICE_PATH, O_RDWR | O_CLOEXEC);
	err = rings->fd < 0 ? no_device(-errno, error) : read_info(rings, error);
	if (err) {
		scope_source_rings_close(rings);
		return err;
	}
	*ret_session = rings->info.session;
	*ret_rings = rings;
	return 0;
}

void scope_source_rings_close(struct scope_rings *rings)
{
	uint32_t cpu;

	if (!rings)
		return;
	for (cpu = 0; rings->ring && cpu < rings->info.cpus; cpu++)
		if (rings->ring[cpu].page)
			munmap((void *)rings->ring[cpu].page, rings->info.region_bytes);
	free(rings->ring);
	free(rings->copy);
	if (rings->fd >= 0)
		close(rings->fd);
	free(rings);
}

/* Also returns 0 for a number that no CPU has: CPU numbers of a machine may have gaps. */
static int map_one(struct scope_rings *rings, uint32_t cpu, struct scope_error *error)
{
	const struct scope_ring_page *page;

	page = mmap(NULL, rings->info.region_bytes, PROT_READ, MAP_SHARED, rings->fd,
		    (off_t)(cpu * rings->info.region_bytes));
	if (page == MAP_FAILED && errno == EINVAL)
		return 0;
	if (page == MAP_FAILED)
		return scope_error_set(error, -errno, "cannot map the ring of CPU %u (%llu bytes): %s", cpu,
				       (unsigned long long)rings->info.region_bytes, strerror(errno));
	rings->ring[cpu].page = page;
	rings->mapped++;
	if (page->magic != SCOPE_RING_MAGIC || page->subbuf_bytes != rings->info.subbuf_bytes ||
	    page->subbuf_count != rings->info.subbuf_count)
		return scope_error_set(error, -EPROTO,
				       "the ring of CPU %u is not laid out as expected: load the "
				       "scope.ko of the same release",
				       cpu);
	rings->ring[cpu].next = page->tail;
	if (page->mode == SCOPE_RING_FLIGHT && !rings->copy) {
		rings->copy = malloc(rings->info.subbuf_bytes);
		if (!rings->copy)
			return scope_error_set(error, -ENOMEM, "no memory for a sub-buffer");
	}
	return 0;
}

int scope_source_rings_map(struct scope_rings *rings, struct scope_error *error)
{
	uint32_t cpu;
	int err;

	err = read_info(rings, error);
	if (err)
		return err;
	rings->ring = calloc(rings->info.cpus, sizeof(*rings->ring));
	if (!rings->ring)
		return scope_error_set(error, -ENOMEM, "no memory for the rings");
	for (cpu = 0; cpu < rings->info.cpus && !err; cpu++)
		err = map_one(rings, cpu, error);
	if (!err && !rings->mapped)
		err = scope_error_set(error, -EPROTO,
				      "%s lets no ring be mapped: load the scope.ko of the same "
				      "release",
				      SCOPE_DEVICE_PATH);
	return err;
}

int scope_source_rings_fd(const struct scope_rings *rings)
{
	return rings->fd;
}

int scope_source_rings_flush(struct scope_rings *rings)
{
	return ioctl(rings->fd, SCOPE_IOC_FLUSH) ? -errno : 0;
}

static int drain_one(struct scope_rings *rings, uint32_t cpu,
		     int (*take)(const struct scope_subbuf *subbuf, void *context), void *context)
{
	struct scope_ioc_consume consume = { .cpu = cpu };
	struct ring *ring = &rings->ring[cpu];
	const uint8_t *first;
	uint64_t head, place;
	int err;

	if (!ring->page)
		return 0;
	first = (const uint8_t *)ring->page + rings->info.header_bytes;
	/* Pairs with the release store that publishes a finished sub-buffer. */
	head = __atomic_load_n(&ring->page->head, __ATOMIC_ACQUIRE);
	while (ring->next < head) {
		place = ring->next & (rings->info.subbuf_count - 1);
		err = take((const struct scope_subbuf *)(first + place * rings->info.subbuf_bytes), context);
		if (err)
			return err;
		consume.position = ++ring->next;
		if (ioctl(rings->fd, SCOPE_IOC_CONSUME, &consume))
			return -errno;
	}
	return 0;
}

/*
 * The kernel may overwrite the sub-buffer while it is copied. The copy is valid only if the kernel accepts the
 * sub-buffer back.
 */
static int drain_flight(struct scope_rings *rings, uint32_t cpu,
			int (*take)(const struct scope_subbuf *subbuf, void *context), void *context)
{
	struct scope_ioc_consume consume = { .cpu = cpu };
	const struct scope_ring_page *page = rings->ring[cpu].page;
	uint64_t tail, head, place;
	int err = 0;

	if (!page)
		return 0;
	head = __atomic_load_n(&page->head, __ATOMIC_ACQUIRE);
	while (!err && (tail = __atomic_load_n(&page->tail, __ATOMIC_ACQUIRE)) < head) {
		place = tail & (rings->info.subbuf_count - 1);
		memcpy(rings->copy, (const uint8_t *)page + rings->info.header_bytes + place * rings->info.subbuf_bytes,
		       rings->info.subbuf_bytes);
		consume.position = tail + 1;
		if (!ioctl(rings->fd, SCOPE_IOC_CONSUME, &consume))
			err = take((const struct scope_subbuf *)rings->copy, context);
		else if (errno != ESTALE)
			err = -errno;
	}
	return err;
}

int scope_source_rings_drain(struct scope_rings *rings, int (*take)(const struct scope_subbuf *subbuf, void *context),
			     void *context)
{
	uint32_t cpu;
	int err = 0;

	for (cpu = 0; cpu < rings->info.cpus && !err; cpu++)
		err = rings->copy ? drain_flight(rings, cpu, take, context) : drain_one(rings, cpu, take, context);
	return err;
}

uint32_t scope_source_rings_fill(const struct scope_rings *rings)
{
	uint64_t most = 0;

	for (uint32_t cpu = 0; cpu < rings->info.cpus; cpu++) {
		const struct scope_ring_page *page = rings->ring[cpu].page;
		/*
		 * Reads the tail before the head: the tail never passes the head, which may move between the two reads.
		 */
		const uint64_t tail = page ? __atomic_load_n(&page->tail, __ATOMIC_ACQUIRE) : 0;
		const uint64_t head = page ? __atomic_load_n(&page->head, __ATOMIC_ACQUIRE) : 0;

		if (head - tail > most)
			most = head - tail;
	}
	return (uint32_t)(1000 * most / rings->info.subbuf_count);
}

bool scope_source_rings_take_tables(const struct scope_rings *rings)
{
	const struct scope_ioc_table nothing = { 0 };

	/* A module that knows tables refuses this table as long as nothing is configured. */
	return ioctl(rings->fd, SCOPE_IOC_TABLE_ADD, &nothing) && errno != ENOTTY;
}

int scope_source_rings_table(struct scope_rings *rings, const void *table, uint32_t bytes)
{
	const struct scope_ioc_table request = { .address = (uint64_t)(uintptr_t)table, .bytes = bytes };
	const int number = ioctl(rings->fd, SCOPE_IOC_TABLE_ADD, &request);

	return number < 0 ? -errno : number;
}

int scope_source_rings_process(struct scope_rings *rings, uint32_t tgid, const struct scope_table_map *map,
			       uint32_t count)
{
	const struct scope_ioc_maps request = { .address = (uint64_t)(uintptr_t)map, .count = count, .tgid = tgid };

	return ioctl(rings->fd, SCOPE_IOC_MAPS_SET, &request) ? -errno : 0;
}

uint64_t scope_source_rings_unmapped(const struct scope_rings *rings)
{
	uint64_t stacks = 0;

	for (uint32_t cpu = 0; cpu < rings->info.cpus; cpu++)
		if (rings->ring[cpu].page)
			stacks += __atomic_load_n(&rings->ring[cpu].page->stacks_unmapped, __ATOMIC_RELAXED);
	return stacks;
}

void scope_source_rings_count(const struct scope_rings *rings, uint64_t *ret_records, uint64_t *ret_lost)
{
	uint32_t cpu;
	int reason;

	*ret_records = 0;
	memset(ret_lost, 0, SCOPE_LOST_REASONS * sizeof(*ret_lost));
	for (cpu = 0; cpu < rings->info.cpus; cpu++) {
		const struct scope_ring_page *page = rings->ring[cpu].page;

		if (!page)
			continue;
		*ret_records += __atomic_load_n(&page->records, __ATOMIC_RELAXED);
		for (reason = 0; reason < SCOPE_LOST_REASONS; reason++)
			ret_lost[reason] += __atomic_load_n(&page->lost[reason], __ATOMIC_RELAXED);
	}
}
