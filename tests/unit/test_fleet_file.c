// SPDX-License-Identifier: GPL-2.0-only
/* Files of summaries: all that is written is read again, and damage loses only the damaged summary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "fleet/codec.h"
#include "fleet/summary_file.h"
#include "fleet_hosts.h"

static struct fleet_host host_of(const char *name)
{
	return (struct fleet_host){ .host = name,
				    .build_id = "aa01",
				    .rack = "b7",
				    .random = 7,
				    .seconds = 20,
				    .rate = 400,
				    .slow = "flush_log",
				    .share = 0.05,
				    .excess_us = 5000 };
}

static int memory(void)
{
	const int fd = memfd_create("summaries", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void append(int fd, struct fleet_host host)
{
	struct scope_fleet_summary *summary = fleet_summary(&host);

	assert_int_equal(scope_fleet_file_append(fd, summary), 0);
	scope_fleet_summary_destroy(summary);
}

/* What was read: the hosts' names, one after another, and how many units and how much excess. */
struct heard {
	char hosts[256];
	uint64_t units, excess_us, step_s;
};

static int hear(void *user, const struct scope_fleet_summary *summary)
{
	struct heard *heard = user;

	strcat(heard->hosts, scope_fleet_text(summary, summary->host));
	strcat(heard->hosts, " ");
	heard->step_s = summary->step_s;
	for (size_t i = 0; i < summary->seconds; i++) {
		heard->units += summary->second[i].units;
		assert_int_equal(scope_fleet_coarse_total(&summary->second[i].wall), summary->second[i].units);
	}
	for (size_t i = 0; i < summary->excesses; i++)
		heard->excess_us += summary->excess[i].excess_us;
	return 0;
}

static struct heard read_back(int fd, int want, struct scope_error *error, struct scope_fleet_file_stats *stats)
{
	struct heard heard = { .units = 0 };

	assert_int_equal(scope_fleet_file_each(fd, "file", error, hear, &heard, stats), want);
	return heard;
}

/* Each field, by its bytes: written, read, and written once more. */
static void all_fields_come_back(void **state)
{
	struct fleet_host host = host_of("web-1");
	struct scope_fleet_summary *summary = fleet_summary(&host), *again;
	uint8_t *first, *second;
	size_t first_bytes, second_bytes;

	(void)state;
	assert_int_equal(scope_fleet_codec_write(summary, &first, &first_bytes), 0);
	assert_int_equal(scope_fleet_codec_read(first, first_bytes, &again), 0);
	assert_int_equal(scope_fleet_codec_write(again, &second, &second_bytes), 0);
	assert_int_equal(first_bytes, second_bytes);
	assert_memory_equal(first, second, first_bytes);
	assert_string_equal(scope_fleet_text(again, again->label[0].key), "rack");
	assert_string_equal(scope_fleet_text(again, again->label[0].value), "b7");
	assert_int_equal(again->finding[0].p50_us, 5600);
	assert_int_equal(again->second[3].at_s, FLEET_BEGIN_S + 1);
	free(first);
	free(second);
	scope_fleet_summary_destroy(summary);
	scope_fleet_summary_destroy(again);
}

/* A later format has more at the end; a shorter one is no summary. */
static void more_at_the_end_is_left(void **state)
{
	struct fleet_host host = host_of("web-1");
	struct scope_fleet_summary *summary = fleet_summary(&host), *again;
	uint8_t *bytes;
	size_t count;

	(void)state;
	assert_int_equal(scope_fleet_codec_write(summary, &bytes, &count), 0);
	bytes = realloc(bytes, count + 3);
	assert_non_null(bytes);
	memcpy(bytes + count, "new", 3);
	assert_int_equal(scope_fleet_codec_read(bytes, count + 3, &again), 0);
	scope_fleet_summary_destroy(again);
	for (size_t cut = 0; cut < count; cut += 1 + cut / 50)
		assert_int_equal(scope_fleet_codec_read(bytes, cut, &again), -EBADMSG);
	free(bytes);
	scope_fleet_summary_destroy(summary);
}

static void several_are_read_in_order(void **state)
{
	struct scope_fleet_file_stats stats;
	struct scope_error error = { "" };
	struct heard heard;
	const int fd = memory();

	(void)state;
	append(fd, host_of("web-1"));
	append(fd, host_of("web-2"));
	heard = read_back(fd, 0, &error, &stats);
	assert_string_equal(heard.hosts, "web-1 web-2 ");
	assert_int_equal(heard.units, 2 * 20 * 400);
	assert_string_equal(stats.problem, "");
	close(fd);
}

/* What cat(1) makes of two files. */
static void files_may_follow_one_another(void **state)
{
	struct scope_fleet_file_stats stats;
	struct scope_error error = { "" };
	uint8_t bytes[65536];
	const int one = memory(), two = memory();
	ssize_t count;

	(void)state;
	append(one, host_of("web-1"));
	append(two, host_of("web-2"));
	count = pread(two, bytes, sizeof(bytes), 0);
	assert_true(count > 0 && lseek(one, 0, SEEK_END) > 0 && write(one, bytes, (size_t)count) == count);
	assert_string_equal(read_back(one, 0, &error, &stats).hosts, "web-1 web-2 ");
	assert_string_equal(stats.problem, "");
	close(one);
	close(two);
}

/* Any byte of the second of three: the first is read, and the third if its begin can be found. */
static void damage_costs_one_summary(void **state)
{
	struct scope_fleet_file_stats stats;
	struct scope_error error = { "" };
	const int fd = memory();
	off_t first, second;

	(void)state;
	append(fd, host_of("web-1"));
	first = lseek(fd, 0, SEEK_END);
	append(fd, host_of("web-2"));
	second = lseek(fd, 0, SEEK_END);
	append(fd, host_of("web-3"));
	for (off_t at = first; at < second; at += 7) {
		uint8_t was, now;

		assert_int_equal(pread(fd, &was, 1, at), 1);
		now = was ^ 0x41;
		assert_int_equal(pwrite(fd, &now, 1, at), 1);
		assert_string_equal(read_back(fd, 0, &error, &stats).hosts, "web-1 web-3 ");
		assert_string_not_equal(stats.problem, "");
		assert_int_equal(pwrite(fd, &was, 1, at), 1);
	}
	close(fd);
}

static void a_cut_file_is_read_up_to_the_cut(void **state)
{
	struct scope_fleet_file_stats stats;
	struct scope_error error = { "" };
	const int fd = memory();
	off_t first;

	(void)state;
	append(fd, host_of("web-1"));
	first = lseek(fd, 0, SEEK_END);
	append(fd, host_of("web-2"));
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 1), 0);
	assert_string_equal(read_back(fd, 0, &error, &stats).hosts, "web-1 ");
	assert_non_null(strstr(stats.problem, "cut off"));
	assert_int_equal(ftruncate(fd, first), 0);
	assert_string_equal(read_back(fd, 0, &error, &stats).hosts, "web-1 ");
	assert_string_equal(stats.problem, "");
	close(fd);
}

static void other_files_are_refused(void **state)
{
	const struct scope_fleet_file_header newer = { SCOPE_FLEET_FILE_MAGIC, 9, 9 };
	const struct scope_fleet_file_header readable = { SCOPE_FLEET_FILE_MAGIC, 9, 1 };
	struct scope_fleet_file_stats stats;
	struct scope_error error = { "" };
	const int fd = memory();

	(void)state;
	read_back(fd, -EBADMSG, &error, &stats);
	assert_non_null(strstr(error.text, "empty"));
	assert_int_equal(write(fd, "SCOPEtrc and what follows", 25), 25);
	read_back(fd, -EBADMSG, &error, &stats);
	assert_non_null(strstr(error.text, "scope fleet summarize"));
	assert_int_equal(pwrite(fd, &newer, sizeof(newer), 0), sizeof(newer));
	read_back(fd, -EPROTO, &error, &stats);
	assert_non_null(strstr(error.text, "format 9"));
	assert_int_equal(pwrite(fd, &readable, sizeof(readable), 0), sizeof(readable));
	assert_int_equal(ftruncate(fd, sizeof(readable)), 0);
	append(fd, host_of("web-1"));
	assert_string_equal(read_back(fd, 0, &error, &stats).hosts, "web-1 ");
	close(fd);
}

/* Two more kinds, with rows like those of another host. */
static void add_kinds(struct scope_fleet_summary *summary, struct fleet_host host, uint32_t pair)
{
	struct scope_fleet_summary *more;

	host.random += pair;
	more = fleet_summary(&host);
	assert_int_equal(scope_grow(&summary->second, &summary->second_capacity, summary->seconds + more->seconds,
				    sizeof(*summary->second)),
			 0);
	assert_int_equal(
		scope_grow(&summary->kind, &summary->kind_capacity, summary->kinds + 2, sizeof(*summary->kind)), 0);
	for (size_t i = 0; i < more->seconds; i++) {
		more->second[i].kind += 2 * pair;
		summary->second[summary->seconds++] = more->second[i];
	}
	for (size_t i = 0; i < 2; i++) {
		summary->kind[summary->kinds] = summary->kind[i];
		summary->kinds++;
	}
	more->seconds = 0;
	scope_fleet_summary_destroy(more);
}

/* However much there is to say, a second takes no more bytes than that; nothing that is counted is lost by it. */
static void seconds_take_bounded_room(void **state)
{
	struct fleet_host host = host_of("busy");
	struct scope_fleet_summary *summary;
	struct scope_fleet_file_stats stats;
	struct scope_error error = { "" };
	const int fd = memory();
	struct heard heard;

	(void)state;
	host.seconds = 60;
	host.rate = 2000;
	summary = fleet_summary(&host);
	/* As many kinds as there may be, each with as much as the first two. */
	for (uint32_t k = 1; k < 12; k++)
		add_kinds(summary, host, k);
	assert_int_equal(scope_fleet_file_append(fd, summary), 0);
	assert_in_range(lseek(fd, 0, SEEK_END), 1, 62 * SCOPE_FLEET_BYTES_A_SECOND);
	heard = read_back(fd, 0, &error, &stats);
	assert_int_equal(heard.units, 60 * 2000 * 12);
	assert_true(heard.step_s > 1);
	scope_fleet_summary_destroy(summary);
	close(fd);
}

/* Of a file that may not grow any more: the summaries before stay whole. */
static void a_full_disk_leaves_no_half_summary(void **state)
{
	struct fleet_host host = host_of("web-2");
	struct scope_fleet_summary *summary = fleet_summary(&host);
	struct scope_fleet_file_stats stats;
	struct scope_error error = { "" };
	const int fd = memory();
	struct rlimit before, room;

	(void)state;
	append(fd, host_of("web-1"));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	room = (struct rlimit){ (rlim_t)lseek(fd, 0, SEEK_END) + 100, before.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &room), 0);
	assert_int_equal(scope_fleet_file_append(fd, summary), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_string_equal(read_back(fd, 0, &error, &stats).hosts, "web-1 ");
	assert_string_equal(stats.problem, "");
	scope_fleet_summary_destroy(summary);
	close(fd);
}

/* Values that make no sense are refused, such that sums stay right. */
static void nonsense_is_refused(void **state)
{
	struct scope_fleet_summary *again;
	uint8_t *bytes;
	size_t count;

	(void)state;
	for (int what = 0; what < 7; what++) {
		struct fleet_host host = host_of("web-1");
		struct scope_fleet_summary *summary = fleet_summary(&host);

		switch (what) {
		case 0:
			summary->second[4].at_s += 1000000;
			break;
		case 1:
			summary->second[4].units = 1ull << 60;
			break;
		case 2:
			summary->second[4].slow = summary->second[4].units + 1;
			break;
		case 3:
			summary->second[4].state_us[1] = 1ull << 62;
			break;
		case 4:
			summary->step_s = 3;
			break;
		case 5:
			summary->to_us = UINT64_MAX;
			break;
		default:
			summary->excess[0].excess_us = UINT64_MAX;
		}
		assert_int_equal(scope_fleet_codec_write(summary, &bytes, &count), 0);
		assert_int_equal(scope_fleet_codec_read(bytes, count, &again), -EBADMSG);
		free(bytes);
		scope_fleet_summary_destroy(summary);
	}
}

/* The distribution's promise, over nine powers of ten. */
static void values_are_near(void **state)
{
	(void)state;
	for (double value = 1; value < 1e12; value *= 1.37) {
		const double read = scope_fleet_coarse_value(scope_fleet_coarse_bucket((uint64_t)value));

		assert_true(fabs(read - floor(value)) <= 0.032 * value);
	}
	assert_in_range(scope_fleet_coarse_bucket(UINT64_MAX), 0, SCOPE_FLEET_BUCKETS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_fields_come_back),
		cmocka_unit_test(more_at_the_end_is_left),
		cmocka_unit_test(several_are_read_in_order),
		cmocka_unit_test(files_may_follow_one_another),
		cmocka_unit_test(damage_costs_one_summary),
		cmocka_unit_test(a_cut_file_is_read_up_to_the_cut),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(seconds_take_bounded_room),
		cmocka_unit_test(a_full_disk_leaves_no_half_summary),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(values_are_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
