// SPDX-License-Identifier: GPL-2.0-only
/* Chooses the links and exchanges of a trace that its summary keeps. */
#include <stdlib.h>

#include "base/grow.h"
#include "fleet/exchanges_internal.h"

/* Links with addresses come first, by the time that they took, then the others. */
static int compare_busy(const void *left, const void *right, void *context)
{
	const uint32_t *a = left, *b = right;
	const struct finding *finding = context;
	const struct scope_fleet_link *link = finding->summarizer->summary->link;
	const uint64_t one = finding->sums[*a].ns, other = finding->sums[*b].ns;

	if (!link[*a].server != !link[*b].server)
		return link[*a].server ? -1 : 1;
	if (one != other)
		return one > other ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

static int compare_kept(const void *left, const void *right)
{
	const struct kept *a = left, *b = right;

	return a->measure != b->measure ? (a->measure > b->measure ? -1 : 1)
					: (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

static int compare_times(const void *left, const void *right)
{
	const struct scope_fleet_exchange *a = left, *b = right;

	if (a->link != b->link)
		return a->link < b->link ? -1 : 1;
	if (a->at_us != b->at_us)
		return a->at_us < b->at_us ? -1 : 1;
	return a->port != b->port ? (a->port < b->port ? -1 : 1)
				  : (a->took_us > b->took_us) - (a->took_us < b->took_us);
}

/* Rounding makes the client's time longer and the server's shorter, so that they stay bounds. */
static int keep_exchanges(struct finding *finding, const struct sums *sums, uint32_t link, size_t each)
{
	struct scope_fleet_summarizer *summarizer = finding->summarizer;
	struct scope_fleet_summary *summary = summarizer->summary;
	const bool answers = summary->link[link].answers;

	for (size_t which = 0; which < 2; which++)
		for (size_t i = 0; i < each && sums->kept[which][i].measure; i++) {
			const struct kept *kept = &sums->kept[which][i];
			const uint64_t begin_us = scope_fleet_wall_us(summarizer, kept->at_ns + (answers ? 999 : 0));
			const uint64_t end_us =
				scope_fleet_wall_us(summarizer, kept->at_ns + kept->took_ns + (answers ? 0 : 999));

			if (scope_grow(&summary->exchange, &summary->exchange_capacity, summary->exchanges + 1,
				       sizeof(*summary->exchange)))
				return -ENOMEM;
			summary->exchange[summary->exchanges++] = (struct scope_fleet_exchange){
				.link = link,
				.port = kept->port,
				.at_us = begin_us,
				.took_us = end_us > begin_us ? end_us - begin_us : 0,
			};
		}
	return 0;
}

static void drop_twins(struct scope_fleet_summary *summary)
{
	size_t kept = 0;

	if (summary->exchanges)
		qsort(summary->exchange, summary->exchanges, sizeof(*summary->exchange), compare_times);
	for (size_t i = 0; i < summary->exchanges; i++)
		if (!kept || compare_times(&summary->exchange[kept - 1], &summary->exchange[i]))
			summary->exchange[kept++] = summary->exchange[i];
	summary->exchanges = kept;
}

/* Adds the exchanges of one link to the link without addresses. */
static int merge(struct finding *finding, const struct scope_fleet_link *from)
{
	struct scope_fleet_link *to;
	uint32_t other;
	int err = scope_fleet_exchanges_link(finding, from->answers, "", "", &other);

	if (err)
		return err;
	to = &finding->summarizer->summary->link[other];
	to->connections += from->connections;
	to->exchanges += from->exchanges;
	to->mixed += from->mixed;
	return scope_fleet_coarse_merge(&to->wall, &from->wall);
}

/* A link that stays. */
static int add_link(struct finding *finding, const struct scope_fleet_link *from, struct sums *sums, size_t each)
{
	struct scope_fleet_summary *summary = finding->summarizer->summary;
	struct scope_fleet_link *row;
	int err;

	if (scope_grow(&summary->link, &summary->link_capacity, summary->links + 1, sizeof(*from)) ||
	    scope_grow(&finding->sums, &finding->sums_capacity, summary->links + 1, sizeof(*sums)))
		return -ENOMEM;
	row = &summary->link[summary->links];
	*row = *from;
	err = scope_fleet_names_add(&summary->names, scope_fleet_names_get(&finding->names, from->client),
				    &row->client);
	if (!err)
		err = scope_fleet_names_add(&summary->names, scope_fleet_names_get(&finding->names, from->server),
					    &row->server);
	if (err)
		return err;
	for (size_t which = 0; which < 2; which++)
		qsort(sums->kept[which], SCOPE_FLEET_KEPT_EACH, sizeof(struct kept), compare_kept);
	return keep_exchanges(finding, sums, (uint32_t)summary->links++, each);
}

int scope_fleet_exchanges_choose(struct finding *finding)
{
	struct scope_fleet_summary *summary = finding->summarizer->summary;
	struct scope_fleet_link *all = summary->link;
	struct sums *sums = finding->sums;
	const size_t count = summary->links;
	uint32_t *order = calloc(count + 1, sizeof(*order));
	size_t named = 0, each;
	int err = order ? 0 : -ENOMEM;

	for (uint32_t i = 0; order && i < count; i++) {
		order[i] = i;
		named += all[i].server && all[i].exchanges;
	}
	if (order && count)
		qsort_r(order, count, sizeof(*order), compare_busy, finding);
	named = named < SCOPE_FLEET_LINKS ? named : SCOPE_FLEET_LINKS;
	each = named ? SCOPE_FLEET_EXCHANGES / 2 / named : 0;
	each = each < SCOPE_FLEET_KEPT_EACH ? each : SCOPE_FLEET_KEPT_EACH;
	summary->link = NULL;
	finding->sums = NULL;
	summary->links = summary->link_capacity = finding->sums_capacity = 0;
	for (size_t i = 0; i < count; i++) {
		const struct scope_fleet_link *from = order ? &all[order[i]] : &all[i];

		/* Connections without data are not needed. */
		if (!err && from->exchanges && from->server && summary->links < named) {
			const size_t before = summary->links;

			err = add_link(finding, from, &sums[order[i]], each);
			if (summary->links > before)
				continue;
		} else if (!err && from->exchanges) {
			err = merge(finding, from);
		}
		free(from->wall.at);
	}
	drop_twins(summary);
	free(order);
	free(all);
	free(sums);
	return err;
}
