// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random sessions under random load: configured, mapped, started, filtered, flushed,
 * read, stopped or not, closed or killed, several at once. Every record read is checked.
 *
 * The seed determines the choices of each process; their timing depends on the machine.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <linux/netlink.h>
#include "tests.h"

#define TRACERS 4
#define LOADS 3

static volatile pid_t *loads; /* shared by all processes: which processes tracers may name */
static uint64_t random_state;

static uint32_t pick(uint32_t below)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (random_state >> 33) % below;
}

static uint64_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec;
}

static void nap_us(uint32_t most)
{
	usleep(pick(most) + 1);
}

/* Killed by the director, or ended in peace. */
static void check_end(int status)
{
	CHECK(!status || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL), "a tracer ended with %x", status);
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	(void)data, (void)cpu, (void)tid, (void)now_ns, (void)record, (void)bytes;
}

/* Load: calls of all kinds, wrong pointers, threads, children, exec, signals. */

static void *load_thread(void *data)
{
	struct timespec nap = { 0, 50000 };
	long i, many = (long)data;

	for (i = 0; i < many; i++) {
		syscall(SYS_getppid);
		syscall(SYS_read, -1, (void *)1, 1);
		syscall(-1);
		if (i % 64 == 0)
			nanosleep(&nap, NULL);
	}
	return NULL;
}

static void load_children(void)
{
	pid_t pid = fork();

	if (!pid) {
		if (pick(2))
			execl("/bin/true", "true", NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void load_once(void)
{
	pthread_t thread;

	switch (pick(4)) {
	case 0:
		load_thread((void *)500);
		break;
	case 1:
		if (!pthread_create(&thread, NULL, load_thread, (void *)300))
			pthread_join(thread, NULL);
		break;
	case 2:
		load_children();
		break;
	default:
		nap_us(2000);
	}
}

/* At times the process itself goes, in the midst of being traced, and another takes its place. */
static void load_main(int index)
{
	uint32_t rounds = 50 + pick(500);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	loads[index] = getpid();
	while (rounds--)
		load_once();
	_exit(0);
}

/* Tracers */

static void choose(struct client_config *config)
{
	static const uint32_t periods[] = { 0, 0, SCOPE_SAMPLE_PERIOD_MIN_NS, 1000000, 10000000 };
	uint32_t i;

	memset(config, 0, sizeof(*config));
	config->count = 1 + pick(LOADS);
	for (i = 0; i < config->count; i++)
		config->pids[i] = loads[pick(LOADS)];
	config->follow = pick(2);
	config->flight = !pick(3);
	config->events = pick(SCOPE_EVENTS_ALL + 1) & SCOPE_EVENTS_ALL; /* 0: default */
	config->subbuf_bytes = 4096u << pick(6);
	config->subbuf_count = 2u << pick(4);
	config->stack_mode = pick(3);
	config->stack_min_ns = pick(3) ? 0 : pick(100000);
	config->stack_bytes = 8 * (1 + pick(256));
	if (config->stack_mode)
		config->sample_period_ns = periods[pick(5)];
	for (i = 0; i < SCOPE_SYSCALL_MAX; i++)
		config->arg_counts[i] = pick(SCOPE_ARG_MAX + 1);
}

static void drain(struct client *client, const struct client_config *config)
{
	uint64_t stale = 0;

	if (config->flight)
		client_drain_flight(client, false, on_record, NULL, &stale);
	else
		client_drain(client, on_record, NULL);
}

static void check_stopped(struct client *client, const struct client_config *config)
{
	struct client_counts pages;

	drain(client, config);
	client_pages(client, &pages);
	CHECK(pages.records == client->received + pages.overwritten, "%lu records, %lu received, %lu overwritten",
	      pages.records, client->received, pages.overwritten);
}

/* One process more, or one less; it may be gone, or there already. */
static void change_filter(struct client *client)
{
	struct {
		uint16_t session_bytes, session_type;
		uint32_t session;
		uint16_t nest_bytes, nest_type, target_bytes, target_type;
		uint32_t pid;
	} message = {
		8,
		SCOPE_ATTR_SESSION,
		client->info.session,
		12,
		(pick(2) ? SCOPE_ATTR_TARGETS : SCOPE_ATTR_REMOVE) | NLA_F_NESTED,
		8,
		SCOPE_ATTR_TARGET,
		loads[pick(LOADS)],
	};
	int err = client_raw(client, SCOPE_CMD_FILTER, &message, sizeof(message), NULL, 0);

	CHECK(!err || err == -ESRCH || err == -ENOENT, "filter: %s", strerror(-err));
}

static void one_step(struct client *client, const struct client_config *config)
{
	struct client_counts counts;
	int err;

	nap_us(20000);
	if (pick(2))
		drain(client, config);
	if (!pick(3))
		CHECK(!ioctl(client->fd, SCOPE_IOC_FLUSH));
	if (!pick(4))
		CHECK(!client_query(client, &counts));
	if (!pick(3))
		change_filter(client);
	if (!pick(6)) {
		err = client_snapshot(client, pick(2));
		CHECK(!err, "snapshot: %s", strerror(-err));
	}
}

static void trace_once(void)
{
	struct client_config config;
	struct client client;
	uint32_t steps = pick(12);

	choose(&config);
	client_open(&client);
	/* A load may have gone since; half of memory may be in use. */
	if (client_configure(&client, &config))
		return client_close(&client);
	client_map(&client);
	if (pick(16) && !client_command(&client, SCOPE_CMD_START)) {
		while (steps--)
			one_step(&client, &config);
		if (pick(4)) {
			CHECK(!client_command(&client, SCOPE_CMD_STOP));
			check_stopped(&client, &config);
		}
	}
	client_close(&client);
}

static void tracer_main(uint64_t until)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (seconds() < until)
		trace_once();
	_exit(0);
}

/* Director: keeps loads and tracers there, kills one of the latter now and then. */

static pid_t start(void (*run)(uint64_t), uint64_t value)
{
	uint64_t state = random_state ^ (uint64_t)pick(1u << 30) << 20;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		random_state = state;
		run(value);
	}
	return pid;
}

static void run_load(uint64_t index)
{
	load_main(index);
}

static void run_tracer(uint64_t until)
{
	tracer_main(until);
}

/* Reaps what ended; a tracer that ended by itself before the time found something. */
static void keep_up(pid_t *tracers, pid_t *load_pids, uint64_t until, uint32_t *tracers_run)
{
	int status, i;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (i = 0; i < LOADS; i++)
			if (pid == load_pids[i])
				load_pids[i] = start(run_load, i);
		for (i = 0; i < TRACERS; i++) {
			if (pid != tracers[i])
				continue;
			check_end(status);
			tracers[i] = 0;
			if (seconds() < until) {
				tracers[i] = start(run_tracer, until);
				++*tracers_run;
			}
		}
	}
}

void test_soak(uint32_t for_seconds, uint64_t seed)
{
	pid_t tracers[TRACERS] = { 0 }, load_pids[LOADS];
	uint64_t until = seconds() + for_seconds;
	uint32_t tracers_run = TRACERS, i;
	int status;

	random_state = seed;
	loads = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(loads != MAP_FAILED);
	for (i = 0; i < LOADS; i++)
		load_pids[i] = start(run_load, i);
	for (i = 0; i < LOADS; i++)
		while (!loads[i])
			usleep(1000);
	for (i = 0; i < TRACERS; i++)
		tracers[i] = start(run_tracer, until);
	while (seconds() < until) {
		nap_us(200000);
		if (!pick(4) && tracers[i = pick(TRACERS)])
			kill(tracers[i], SIGKILL);
		keep_up(tracers, load_pids, until, &tracers_run);
	}
	for (i = 0; i < TRACERS; i++)
		if (tracers[i] && waitpid(tracers[i], &status, 0) == tracers[i])
			check_end(status);
	for (i = 0; i < LOADS; i++) {
		kill(load_pids[i], SIGKILL);
		waitpid(load_pids[i], NULL, 0);
	}
	printf("# %u s, seed %lu, %u tracers\n", for_seconds, seed, tracers_run);
}
