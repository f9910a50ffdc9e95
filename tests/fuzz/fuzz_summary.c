// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as the summary of a host: the summary is refused, or it is the same when it is written again, and a report
 * about it ends. The bytes are the payload of a frame, without its compression and checksum, a whole file, and
 * changes of a good payload.
 */
#include "fuzz.h"
#include "../unit/fleet_hosts.h"
#include "fleet/codec.h"
#include "fleet/ranking.h"
#include "fleet/database.h"
#include "fleet/summary_file.h"

static void report(const struct scope_fleet_summary *summary)
{
	struct scope_fleet_ranking *ranking;
	struct scope_fleet_facts *facts;
	struct scope_fleet_store *store;
	enum scope_fleet_added added;
	struct scope_error error = { "" };

	if (scope_fleet_store_open(NULL, &error, &store) || scope_fleet_store_add(store, summary, &error, &added) ||
	    scope_fleet_store_facts(store, 0, &error, &facts) || scope_fleet_rank_run(facts, &ranking))
		fuzz_die(error.text);
	scope_fleet_ranking_destroy(ranking);
	scope_fleet_facts_destroy(facts);
	scope_fleet_store_close(store);
}

static void again(const struct scope_fleet_summary *summary)
{
	struct scope_fleet_summary *read;
	uint8_t *first, *second;
	size_t first_bytes, second_bytes;

	if (scope_fleet_codec_write(summary, &first, &first_bytes) ||
	    scope_fleet_codec_read(first, first_bytes, &read) || scope_fleet_codec_write(read, &second, &second_bytes))
		fuzz_die("what was read cannot be written and read again");
	if (first_bytes != second_bytes || memcmp(first, second, first_bytes))
		fuzz_die("a summary changed on its way");
	scope_fleet_summary_destroy(read);
	free(first);
	free(second);
}

static int each(void *user, const struct scope_fleet_summary *summary)
{
	(void)user;
	again(summary);
	return 0;
}

#define EDIT_BYTES 4 /* where (2), how (1), what (1) */

/* A payload that a host could have written. */
static void make_good(uint8_t **ret_bytes, size_t *ret_count)
{
	struct fleet_host host = { .host = "web-1",
				   .build_id = "aa01",
				   .rack = "b7",
				   .random = 7,
				   .seconds = 3,
				   .rate = 40,
				   .slow = "flush_log",
				   .share = 0.1,
				   .excess_us = 5000 };
	struct scope_fleet_summary *summary = fleet_summary(&host);

	for (int answers = 0; answers < 2; answers++) {
		fleet_add_link(summary, &(struct fleet_link){ .answers = answers,
							      .client = "10.0.0.1",
							      .server = "10.0.0.1:80",
							      .exchanges = 100,
							      .slow_share = 0.1,
							      .slow_us = 5000 });
		for (uint64_t i = 0; i < 6; i++)
			fleet_add_exchange(summary, 4000, summary->from_us + 1000 * i * i,
					   900 + 10 * i - 50 * (unsigned)answers);
	}
	if (scope_fleet_codec_write(summary, ret_bytes, ret_count))
		fuzz_die("no memory");
	scope_fleet_summary_destroy(summary);
}

static void take(const uint8_t *data, size_t bytes)
{
	struct scope_fleet_summary *summary;

	if (scope_fleet_codec_read(data, bytes, &summary))
		return;
	again(summary);
	report(summary);
	scope_fleet_summary_destroy(summary);
}

static void take_edited(const uint8_t *data, size_t bytes)
{
	uint8_t *good;
	size_t count;
	uint16_t where;

	make_good(&good, &count);
	for (size_t i = 0; i + EDIT_BYTES <= bytes && i < 8 * EDIT_BYTES; i += EDIT_BYTES) {
		memcpy(&where, data + i, sizeof(where));
		where %= count;
		good[where] = data[i + 2] % 2 ? data[i + 3] : good[where] ^ data[i + 3];
	}
	take(good, count);
	free(good);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct scope_fleet_file_stats stats;
	struct scope_error error = { "" };
	const int fd = fuzz_memory();

	take(data, bytes);
	take_edited(data, bytes);
	if (write(fd, data, bytes) == (ssize_t)bytes && scope_fleet_file_each(fd, "fuzz", &error, each, NULL, &stats) &&
	    !error.text[0])
		fuzz_die("refused without a word");
	close(fd);
	return 0;
}
