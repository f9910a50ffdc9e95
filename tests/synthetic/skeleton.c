// SPDX-License-Identifier: GPL-2.0-only
/* The threads and processes of a synthetic server. */
#define _GNU_SOURCE
#include "skeleton.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ITEMS 65536u
#define DATAGRAM 65536

/* Work for the threads of a stage. */
struct queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct item item[ITEMS];
	unsigned first, count;
};

static const struct profile *profile;
static struct queue *queue[STAGES_MAX]; /* by stage; NULL: the stage takes no work from others */
static struct queue *connections;	/* that a pool takes */
static struct loop *loops[STAGES_MAX];	/* of the process */
static unsigned loop_count;
static int listener;

static void stop(const char *what)
{
	perror(what);
	exit(1);
}

static void name_after(int stage)
{
	prctl(PR_SET_NAME, profile->stage[stage].name);
	/* Otherwise sleeps of the profile would be longer by 50 µs. */
	prctl(PR_SET_TIMERSLACK, 1);
}

static struct queue *make_queue(void)
{
	struct queue *made = calloc(1, sizeof(*made));

	if (!made)
		stop("synthetic: a queue");
	pthread_mutex_init(&made->lock, NULL);
	pthread_cond_init(&made->more, NULL);
	return made;
}

static void put(struct queue *to, struct item item)
{
	pthread_mutex_lock(&to->lock);
	if (to->count < ITEMS)
		to->item[(to->first + to->count++) % ITEMS] = item;
	pthread_cond_signal(&to->more);
	pthread_mutex_unlock(&to->lock);
}

static struct item get(struct queue *from)
{
	struct item item;

	pthread_mutex_lock(&from->lock);
	while (!from->count)
		pthread_cond_wait(&from->more, &from->lock);
	item = from->item[from->first++ % ITEMS];
	from->count--;
	pthread_mutex_unlock(&from->lock);
	return item;
}

static void hand_on(int stage, const struct client *client)
{
	for (int i = 0; i < (int)profile->stages; i++)
		if (queue[i] && profile->stage[i].from == stage)
			for (unsigned n = plan_dispatch(profile, i, client->port, client->turn); n; n--)
				put(queue[i], (struct item){ .client = *client, .n = n });
}

void skeleton_serve(const struct profile *of, struct client *client, struct loop *loop, uint64_t since_ns, bool taken)
{
	struct unit unit = plan_unit(of, of->network, client->port, client->turn, 0);

	(void)loop;
	steps_make(unit, client, since_ns, taken);
	if (client->gone)
		return;
	hand_on(of->network, client);
	client->turn++;
}

int skeleton_accept(int from, uint16_t *ret_port)
{
	struct sockaddr_in address = { 0 };
	socklen_t length = sizeof(address);
	const int fd = accept4(from, (struct sockaddr *)&address, &length, SOCK_CLOEXEC);

	*ret_port = ntohs(address.sin_port);
	return fd;
}

static void serve_connection(int fd, uint16_t port)
{
	struct client client = { .fd = fd, .port = port };

	while (!client.gone)
		skeleton_serve(profile, &client, NULL, steps_now_ns(), false);
	close(fd);
}

/* True if the loop has to answer this request, and that unit is the one after which it does. */
static bool returns(const struct item *item, int stage)
{
	uint64_t asked, answered;

	if (!loop_count || item->n != 1 || profile->stage[profile->network].from != stage ||
	    !plan_return(profile, item->client.port, item->client.turn).path)
		return false;
	plan_bytes_of_workers(profile, item->client.port, item->client.turn, &asked, &answered);
	return !answered;
}

static void *work(void *argument)
{
	const int stage = (int)(intptr_t)argument;

	name_after(stage);
	for (;;) {
		struct item item = get(queue[stage]);

		steps_make(plan_unit(profile, stage, item.client.port, item.client.turn, item.n), &item.client,
			   steps_now_ns(), false);
		hand_on(stage, &item.client);
		if (returns(&item, stage))
			loop_return(loops[0], &item.client);
	}
	return NULL;
}

/* Rounds of work at a steady rate. */
static void *keep_time(void *argument)
{
	const int stage = (int)(intptr_t)argument;
	const struct stage *of = &profile->stage[stage];
	const double each_ns = 1e9 * of->threads / of->per_s;
	struct client nobody = { .fd = -1 };

	name_after(stage);
	for (uint32_t turn = 0;; turn++) {
		struct unit unit = plan_unit(profile, stage, 1, turn, 0);
		const struct timespec time = { .tv_sec = (time_t)(each_ns / 1e9),
					       .tv_nsec = (long)(each_ns - 1e9 * (double)(time_t)(each_ns / 1e9)) };

		nanosleep(&time, NULL);
		if (unit.path)
			steps_make(unit, &nobody, steps_now_ns(), false);
	}
	return NULL;
}

static void *run_loop(void *argument)
{
	name_after(profile->network);
	loop_run(argument);
	return NULL;
}

static void *serve_one(void *argument)
{
	const uint64_t both = (uint64_t)(uintptr_t)argument;

	name_after(profile->network);
	serve_connection((int)(both & INT32_MAX), (uint16_t)(both >> 32));
	return NULL;
}

static void *serve_queue(void *unused)
{
	name_after(profile->network);
	for (;;) {
		const struct item item = get(connections);

		serve_connection(item.client.fd, item.client.port);
	}
	return unused;
}

static void *serve_accepted(void *unused)
{
	name_after(profile->network);
	for (;;) {
		uint16_t port;
		const int fd = skeleton_accept(listener, &port);

		if (fd >= 0)
			serve_connection(fd, port);
	}
	return unused;
}

static void *serve_datagrams(void *unused)
{
	static uint32_t turns[UINT16_MAX + 1];
	static __thread char datagram[DATAGRAM];

	name_after(profile->network);
	for (;;) {
		struct client client = { .fd = listener };
		socklen_t length = sizeof(client.address);

		if (recvfrom(listener, datagram, sizeof(datagram), 0, (struct sockaddr *)&client.address, &length) < 0)
			continue;
		client.port = ntohs(client.address.sin_port);
		client.turn = __atomic_fetch_add(&turns[client.port], 1, __ATOMIC_RELAXED);
		skeleton_serve(profile, &client, NULL, steps_now_ns(), true);
	}
	return unused;
}

static void start(void *(*run)(void *), void *argument, unsigned threads)
{
	pthread_t thread;

	for (; threads; threads--)
		if (pthread_create(&thread, NULL, run, argument))
			stop("synthetic: a thread");
}

/* Threads of a process beside those that read and accept. */
static void start_workers(void)
{
	const unsigned processes = profile->stage[profile->network].processes;

	for (int i = 0; i < (int)profile->stages; i++) {
		const struct stage *stage = &profile->stage[i];

		if (plan_is_worker(profile, i)) {
			queue[i] = make_queue();
			start(work, (void *)(intptr_t)i, stage->threads / (processes > 1 ? processes : 1));
		} else if (!strcmp(stage->role, "timer") && stage->per_s > 0) {
			start(keep_time, (void *)(intptr_t)i, stage->threads);
		}
	}
}

static void give_to_thread(int fd, uint16_t port)
{
	pthread_attr_t detached;
	pthread_t thread;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &detached, serve_one, (void *)(uintptr_t)((uint64_t)port << 32 | (unsigned)fd)))
		close(fd);
}

static void give_to_process(int fd, uint16_t port)
{
	const pid_t child = fork();

	if (!child) {
		serve_one((void *)(uintptr_t)((uint64_t)port << 32 | (unsigned)fd));
		_exit(0);
	}
	close(fd);
}

static void give_to_queue(int fd, uint16_t port)
{
	put(connections, (struct item){ .client = { .fd = fd, .port = port } });
}

static void give_to_loop(int fd, uint16_t port)
{
	static unsigned next;

	loop_add(loops[next++ % loop_count], fd, port);
}

/* Accepts for others. */
static void accept_for(void (*give)(int fd, uint16_t port))
{
	if (profile->accept >= 0)
		name_after(profile->accept);
	for (;;) {
		uint16_t port;
		const int fd = skeleton_accept(listener, &port);

		if (fd >= 0)
			give(fd, port);
	}
}

/* Makes the other processes of a stage: each goes on from here. */
static void fork_processes(void)
{
	for (unsigned i = 1; i < profile->stage[profile->network].processes; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			return;
		}
}

static void run_loops(void)
{
	const struct stage *network = &profile->stage[profile->network];
	const bool accepts = profile->accept < 0;

	fork_processes();
	start_workers();
	loop_count = network->threads / (network->processes ? network->processes : 1);
	loop_count = loop_count < 1 ? 1 : loop_count < STAGES_MAX ? loop_count : STAGES_MAX;
	for (unsigned i = 0; i < loop_count; i++)
		loops[i] = loop_create(profile, accepts ? listener : -1);
	for (unsigned i = accepts; i < loop_count; i++)
		start(run_loop, loops[i], 1);
	if (accepts)
		run_loop(loops[0]);
	accept_for(give_to_loop);
}

void skeleton_run(const struct profile *of, int from)
{
	const struct stage *network = &of->stage[of->network];

	profile = of;
	listener = from;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	if (!strcmp(of->skeleton, "event_loop")) {
		run_loops();
	} else if (!strcmp(of->skeleton, "prefork")) {
		fork_processes();
		start_workers();
		serve_accepted(NULL);
	} else if (!strcmp(of->skeleton, "prethread")) {
		start_workers();
		start(serve_accepted, NULL, network->threads - 1);
		serve_accepted(NULL);
	} else if (!strcmp(of->skeleton, "datagrams")) {
		start_workers();
		start(serve_datagrams, NULL, network->threads - 1);
		serve_datagrams(NULL);
	} else if (!strcmp(of->skeleton, "connection_queue")) {
		connections = make_queue();
		start_workers();
		start(serve_queue, NULL, network->threads);
		accept_for(give_to_queue);
	} else if (!strcmp(of->skeleton, "process_per_connection")) {
		accept_for(give_to_process);
	} else if (!strcmp(of->skeleton, "thread_per_connection")) {
		start_workers();
		accept_for(give_to_thread);
	} else {
		fprintf(stderr, "synthetic: a server of the form '%s' cannot be built\n", of->skeleton);
		exit(1);
	}
}
