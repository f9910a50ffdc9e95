/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads of one process whose interpreter is read, and which of them have run since they were read. */
#ifndef SCOPE_CAPTURE_SNAPSHOTS_PROCESS_H
#define SCOPE_CAPTURE_SNAPSHOTS_PROCESS_H

#include "capture/snapshots_goroutines.h"
#include "interpreter/interpreter.h"
#include "interpreter/python_tasks.h"

struct scope_snapshots_task {
	uint32_t tid, inner; /* inner: in the namespace of its process */
	int fd;		     /* descriptor of its schedstat; -1: none */
	bool gone;
	uint64_t run_ns, slices; /* values at the last look; they change when the thread runs */
	uint64_t looked_ns;
	uint64_t searched_ns;			/* when its state was searched and not found */
	struct scope_interpreted_thread thread; /* state 0: not known */
};

/* A function of the process, by the address of its code, and its number in the trace. */
struct scope_snapshots_code {
	uint64_t function;
	uint32_t id;
};

#define SCOPE_SNAPSHOTS_CODES 4096u /* no rule: a power of two; others are read again */

struct scope_snapshots_process {
	uint32_t tgid;
	bool gone;
	bool go;	     /* a Go program: only its goroutines are read */
	bool found, unknown; /* found: its interpreter was found; unknown: its version is not known */
	uint32_t attempts;
	uint64_t next_try_ns, next_list_ns, forget_ns, round_ns;
	bool added;				/* the last list had a thread that the list before did not have … */
	uint64_t changing_ns;			/* … and the time of the last such list */
	struct scope_interpreted_thread newest; /* the newest thread, while new ones are searched */
	struct scope_goroutines goroutines;
	struct scope_python_tasks python_tasks;
	uint64_t next_tasks_ns;		   /* when tasks are searched again, if they were not found */
	struct scope_waiting_tasks *waits; /* of goroutines, or of tasks of Python */
	struct scope_interpreter interpreter;
	struct scope_snapshots_task *task;
	size_t tasks, capacity;
	struct scope_snapshots_code code[SCOPE_SNAPSHOTS_CODES];
};

/* Searches its interpreter, with longer pauses each time. */
void scope_capture_snapshots_find(struct scope_snapshots_process *process, struct scope_memory *memory,
				  uint64_t now_ns);

/* Updates the list of its threads. */
void scope_capture_snapshots_list(struct scope_snapshots_process *process, uint64_t now_ns);

/* True if its threads come and go, and the interpreter has another newest thread than at the last call. */
bool scope_capture_snapshots_has_new(struct scope_snapshots_process *process, struct scope_memory *memory,
				     uint64_t now_ns);

/* True if the thread has run since it was read, or was read long ago. */
bool scope_capture_snapshots_due(struct scope_snapshots_process *process, struct scope_snapshots_task *task,
				 uint64_t now_ns);

/* Makes sure that task->thread is the state of that thread. Returns false if it has none now. */
bool scope_capture_snapshots_place(struct scope_snapshots_process *process, struct scope_snapshots_task *task,
				   struct scope_memory *memory, uint64_t now_ns);

void scope_capture_snapshots_process_destroy(struct scope_snapshots_process *process);

#endif
