// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a CTF trace of a kernel through libbabeltrace2: its source and muxer give the events of all
 * streams in order of time. The library ends its process on unexpected input, so it runs in a
 * separate one (messages.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "base/syscall_name.h"
#include "import/libbabeltrace.h"
#include "import/import.h"
#include "import/messages.h"

static const struct scope_import_babeltrace *const bt = &scope_import_babeltrace;

struct reader {
	const char *path;
	struct scope_import_sender *sender;
	int err;
	uint32_t *running; /* per CPU: the thread that sched_switch put there */
	size_t cpus, capacity;
};

/* The fields of one event. */
struct fields {
	const bt_field *payload, *context, *specific, *packet;
};

static const bt_field *member(const bt_field *structure, const char *name)
{
	const bt_field *field;

	if (!structure || bt->field_get_class_type(structure) != BT_FIELD_CLASS_TYPE_STRUCTURE)
		return NULL;
	field = bt->field_structure_borrow_member_field_by_name_const(structure, name);
	return field;
}

static bool integer_of(const bt_field *field, int64_t *ret_value)
{
	bt_field_class_type type;

	if (!field)
		return false;
	type = bt->field_get_class_type(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		*ret_value = (int64_t)bt->field_integer_unsigned_get_value(field);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		*ret_value = bt->field_integer_signed_get_value(field);
	else
		return false;
	return true;
}

static bool find_integer(const bt_field *structure, const char *name, int64_t *ret_value)
{
	return integer_of(member(structure, name), ret_value);
}

static const char *find_string(const bt_field *structure, const char *name)
{
	const bt_field *field = member(structure, name);

	if (!field || bt->field_get_class_type(field) != BT_FIELD_CLASS_TYPE_STRING)
		return NULL;
	return bt->field_string_get_value(field);
}

/* The context may name the thread; else it is the one that runs on the CPU. */
static uint32_t thread_of(const struct reader *reader, const struct fields *fields, uint32_t cpu, uint32_t *ret_tgid)
{
	int64_t tid, tgid;

	*ret_tgid = 0;
	if (find_integer(fields->context, "pid", &tgid) || find_integer(fields->specific, "pid", &tgid))
		*ret_tgid = tgid;
	if (find_integer(fields->context, "tid", &tid) || find_integer(fields->specific, "tid", &tid))
		return tid;
	return cpu < reader->cpus ? reader->running[cpu] : 0;
}

static int send_thread(const struct reader *reader, uint32_t tid, uint32_t tgid, const char *comm)
{
	struct scope_import_message message = { .kind = SCOPE_IMPORT_MESSAGE_THREAD, .tid = tid, .tgid = tgid };

	scope_import_message_name(&message, comm);
	return scope_import_send(reader->sender, &message);
}

static int send_other(const struct reader *reader)
{
	return scope_import_send(reader->sender, &(struct scope_import_message){ .kind = SCOPE_IMPORT_MESSAGE_OTHER });
}

static int take_switch(struct reader *reader, const struct fields *fields, uint64_t time_ns, uint32_t cpu)
{
	int64_t prev, next, state = 0;
	bool preempted;
	uint8_t is;
	int err;

	if (!find_integer(fields->payload, "prev_tid", &prev) || !find_integer(fields->payload, "next_tid", &next))
		return 0;
	find_integer(fields->payload, "prev_state", &state);
	is = scope_import_state_bits(state, &preempted);
	if (scope_grow(&reader->running, &reader->capacity, cpu + 1, sizeof(uint32_t)))
		return -ENOMEM;
	while (reader->cpus <= cpu)
		reader->running[reader->cpus++] = 0;
	reader->running[cpu] = next;
	err = send_thread(reader, prev, 0, find_string(fields->payload, "prev_comm"));
	if (!err)
		err = send_thread(reader, next, 0, find_string(fields->payload, "next_comm"));
	return err ? err
		   : scope_import_send(reader->sender, &(struct scope_import_message){
							       .kind = SCOPE_IMPORT_MESSAGE_SWITCH,
							       .time_ns = time_ns,
							       .cpu = cpu,
							       .tid = prev,
							       .other = next,
							       .state = is,
							       .preempted = preempted,
						       });
}

static int take_waking(struct reader *reader, const struct fields *fields, uint64_t time_ns, uint32_t cpu)
{
	uint32_t tgid, waker = thread_of(reader, fields, cpu, &tgid);
	int64_t tid;

	if (!find_integer(fields->payload, "tid", &tid))
		return 0;
	return scope_import_send(reader->sender, &(struct scope_import_message){
							 .kind = SCOPE_IMPORT_MESSAGE_WAKING,
							 .time_ns = time_ns,
							 .cpu = cpu,
							 .tid = waker,
							 .other = tid,
						 });
}

static int take_fork(struct reader *reader, const struct fields *fields, uint64_t time_ns, uint32_t cpu)
{
	int64_t parent, child, child_pid = 0;
	struct scope_import_message message;

	if (!find_integer(fields->payload, "parent_tid", &parent) ||
	    !find_integer(fields->payload, "child_tid", &child))
		return 0;
	find_integer(fields->payload, "child_pid", &child_pid);
	message = (struct scope_import_message){
		.kind = SCOPE_IMPORT_MESSAGE_FORK,
		.time_ns = time_ns,
		.cpu = cpu,
		.tid = parent,
		.other = child,
		.tgid = child_pid,
	};
	scope_import_message_name(&message, find_string(fields->payload, "child_comm"));
	return scope_import_send(reader->sender, &message);
}

static int take_exit(struct reader *reader, const struct fields *fields, uint64_t time_ns, uint32_t cpu)
{
	int64_t tid;

	if (!find_integer(fields->payload, "tid", &tid))
		return 0;
	return scope_import_send(reader->sender, &(struct scope_import_message){
							 .kind = SCOPE_IMPORT_MESSAGE_THREAD_EXIT,
							 .time_ns = time_ns,
							 .cpu = cpu,
							 .tid = tid,
						 });
}

/* LTTng lists the existing threads when it starts. */
static int take_state(struct reader *reader, const struct fields *fields, uint64_t time_ns, uint32_t cpu)
{
	int64_t tid, pid;

	(void)time_ns;
	(void)cpu;
	if (!find_integer(fields->payload, "tid", &tid) || !find_integer(fields->payload, "pid", &pid))
		return 0;
	return send_thread(reader, tid, pid, find_string(fields->payload, "name"));
}

static const struct row {
	const char *name;
	int (*take)(struct reader *reader, const struct fields *fields, uint64_t time_ns, uint32_t cpu);
} rows[] = {
	{ "sched_switch", take_switch },
	{ "sched_waking", take_waking },
	{ "sched_process_fork", take_fork },
	{ "sched_process_exit", take_exit },
	{ "lttng_statedump_process_state", take_state },
};

/* The numbers among the members of a call's fields, in their order: its arguments. */
static uint8_t arguments_of(const bt_field *payload, uint64_t *arg)
{
	const bt_field *list = member(payload, "args");
	uint64_t count, i;
	uint8_t args = 0;
	int64_t value;

	if (list && bt_field_class_type_is(bt->field_get_class_type(list), BT_FIELD_CLASS_TYPE_ARRAY)) {
		count = bt->field_array_get_length(list);
		for (i = 0; i < count && args < SCOPE_ARG_MAX; i++)
			if (integer_of(bt->field_array_borrow_element_field_by_index_const(list, i), &value))
				arg[args++] = value;
		return args;
	}
	if (!payload)
		return 0;
	count = bt->field_class_structure_get_member_count(bt->field_borrow_class_const(payload));
	for (i = 0; i < count && args < SCOPE_ARG_MAX; i++) {
		/* A text replaces a pointer, so it counts as an argument. */
		if (!integer_of(bt->field_structure_borrow_member_field_by_index_const(payload, i), &value))
			value = 0;
		arg[args++] = value;
	}
	return args;
}

/* "syscall_entry_read", "syscall_exit_read"; others are counted. */
static int take_call(struct reader *reader, const char *name, const struct fields *fields, uint64_t time_ns,
		     uint32_t cpu)
{
	bool enters = !strncmp(name, "syscall_entry_", 14);
	const char *call = name + (enters ? 14 : 13);
	struct scope_import_message message = { .time_ns = time_ns, .cpu = cpu };
	uint32_t tgid;
	uint16_t nr;
	char *end;
	int err;

	if (!enters && strncmp(name, "syscall_exit_", 13))
		return send_other(reader);
	message.tid = thread_of(reader, fields, cpu, &tgid);
	err = send_thread(reader, message.tid, tgid, NULL);
	if (err)
		return err;
	/* LTTng leaves the "new" of newstat and others in the name; a number represents itself. */
	if (scope_syscall_number(call, &nr) && scope_syscall_number(call + 3, &nr)) {
		nr = strtoul(call, &end, 10);
		if (end == call)
			nr = SCOPE_NR_NONE;
	}
	message.kind = enters ? SCOPE_IMPORT_MESSAGE_ENTER : SCOPE_IMPORT_MESSAGE_EXIT;
	message.nr = nr;
	if (enters)
		message.args = arguments_of(fields->payload, message.arg);
	else
		find_integer(fields->payload, "ret", &message.ret);
	return scope_import_send(reader->sender, &message);
}

static int take_event(struct reader *reader, const bt_message *message)
{
	const bt_event *event = bt->message_event_borrow_event_const(message);
	const char *name = bt->event_class_get_name(bt->event_borrow_class_const(event));
	const bt_packet *packet = bt->event_borrow_packet_const(event);
	const struct fields fields = {
		.payload = bt->event_borrow_payload_field_const(event),
		.context = bt->event_borrow_common_context_field_const(event),
		.specific = bt->event_borrow_specific_context_field_const(event),
		.packet = packet ? bt->packet_borrow_context_field_const(packet) : NULL,
	};
	int64_t time_ns, cpu = 0;

	if (!name ||
	    bt->clock_snapshot_get_ns_from_origin(bt->message_event_borrow_default_clock_snapshot_const(message),
						  &time_ns) != BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		return 0;
	if (!find_integer(fields.packet, "cpu_id", &cpu))
		find_integer(fields.context, "cpu_id", &cpu);
	if (cpu < 0 || cpu > SCOPE_IMPORT_CPU_MAX || time_ns < 0 || time_ns >= (int64_t)SCOPE_IMPORT_TIME_MAX)
		return send_other(reader);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(name, rows[i].name))
			return rows[i].take(reader, &fields, time_ns, cpu);
	return take_call(reader, name, &fields, time_ns, cpu);
}

static int take_discarded(struct reader *reader, const bt_message *message)
{
	uint64_t count = 0;
	int64_t time_ns;
	const bt_clock_snapshot *end = bt->message_discarded_events_borrow_end_default_clock_snapshot_const(message);

	bt->message_discarded_events_get_count(message, &count);
	if (!end ||
	    bt->clock_snapshot_get_ns_from_origin(end, &time_ns) != BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		return 0;
	/* The message has no CPU: the packets of a stream have it, but a loss does not. */
	return scope_import_send(reader->sender, &(struct scope_import_message){
							 .kind = SCOPE_IMPORT_MESSAGE_LOST,
							 .time_ns = time_ns,
							 .count = count,
						 });
}

static bt_graph_simple_sink_component_initialize_func_status begin(bt_message_iterator *iterator, void *data)
{
	(void)iterator;
	(void)data;
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *iterator, void *data)
{
	struct reader *reader = data;
	bt_message_array_const messages;
	uint64_t count;

	switch (bt->message_iterator_next(iterator, &messages, &count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_MEMORY_ERROR;
	default:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (!reader->err)
			switch (bt->message_get_type(messages[i])) {
			case BT_MESSAGE_TYPE_EVENT:
				reader->err = take_event(reader, messages[i]);
				break;
			case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
				reader->err = take_discarded(reader, messages[i]);
				break;
			default:
				break;
			}
		bt->message_put_ref(messages[i]);
	}
	return reader->err ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR
			   : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* A component of a plugin that libbabeltrace2 brings. */
static const bt_plugin *find_plugin(const char *name)
{
	const bt_plugin *plugin = NULL;

	if (bt->plugin_find(name, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, BT_FALSE, &plugin) != BT_PLUGIN_FIND_STATUS_OK)
		return NULL;
	return plugin;
}

static const bt_component_source *add_source(bt_graph *graph, const bt_plugin *plugin, const char *path)
{
	const bt_component_class_source *class = bt->plugin_borrow_source_component_class_by_name_const(plugin, "fs");
	const bt_component_source *source = NULL;
	bt_value *params = bt->value_map_create(), *inputs = bt->value_array_create();

	if (class && params && inputs && !bt->value_array_append_string_element(inputs, path) &&
	    !bt->value_map_insert_entry(params, "inputs", inputs))
		bt->graph_add_source_component(graph, class, "source", params, BT_LOGGING_LEVEL_NONE, &source);
	bt->value_put_ref(inputs);
	bt->value_put_ref(params);
	return source;
}

/* source:*.out -> muxer -> sink */
static int connect(bt_graph *graph, const bt_component_source *source, const bt_component_filter *muxer,
		   const bt_component_sink *sink)
{
	uint64_t ports = bt->component_source_get_output_port_count(source);

	for (uint64_t i = 0; i < ports; i++) {
		uint64_t last = bt->component_filter_get_input_port_count(muxer) - 1;

		if (bt->graph_connect_ports(graph, bt->component_source_borrow_output_port_by_index_const(source, i),
					    bt->component_filter_borrow_input_port_by_index_const(muxer, last), NULL))
			return -EIO;
	}
	if (bt->graph_connect_ports(graph, bt->component_filter_borrow_output_port_by_index_const(muxer, 0),
				    bt->component_sink_borrow_input_port_by_index_const(sink, 0), NULL))
		return -EIO;
	return ports ? 0 : -ENODATA;
}

static int build(bt_graph *graph, const char *path, struct reader *reader)
{
	const bt_plugin *ctf = find_plugin("ctf"), *utils = find_plugin("utils");
	const bt_component_class_filter *class =
		utils ? bt->plugin_borrow_filter_component_class_by_name_const(utils, "muxer") : NULL;
	const bt_component_source *source = ctf ? add_source(graph, ctf, path) : NULL;
	const bt_component_filter *muxer = NULL;
	const bt_component_sink *sink = NULL;
	int err = -ENOPKG;

	if (ctf && class)
		err = source ? 0 : -ENODATA;
	if (!err && (bt->graph_add_filter_component(graph, class, "muxer", NULL, BT_LOGGING_LEVEL_NONE, &muxer) ||
		     bt->graph_add_simple_sink_component(graph, "sink", begin, consume, NULL, reader, &sink)))
		err = -ENOMEM;
	if (!err)
		err = connect(graph, source, muxer, sink);
	bt->plugin_put_ref(ctf);
	bt->plugin_put_ref(utils);
	return err;
}

static int read_ctf(void *user, struct scope_import_sender *sender)
{
	struct reader *reader = user;
	bt_graph *graph = bt->graph_create(0);
	int err;

	reader->sender = sender;
	err = graph ? build(graph, reader->path, reader) : -ENOMEM;

	if (!err && bt->graph_run(graph) != BT_GRAPH_RUN_STATUS_OK)
		err = reader->err ? reader->err : -EIO;
	bt->graph_put_ref(graph);
	free(reader->running);
	return err;
}

static int explain(struct scope_error *error, const char *path, int err)
{
	switch (err) {
	case -ENOPKG:
		return scope_error_set(error, err,
				       "the plugins of libbabeltrace2 are missing: install "
				       "the package libbabeltrace2-0");
	case -ENODATA:
		return scope_error_set(error, err,
				       "%s holds no CTF trace that can be read: name the "
				       "directory that its metadata file is in, and see what babeltrace2 says "
				       "of it",
				       path);
	case -EIO:
		return scope_error_set(error, err, "%s is damaged: see what babeltrace2 says of it", path);
	case -ECHILD:
		return scope_error_set(error, err,
				       "%s is damaged: libbabeltrace2 broke off as it read it, or took "
				       "more memory than it may; record it again, or see what babeltrace2 says of "
				       "it",
				       path);
	case -ETIME:
		return scope_error_set(error, err,
				       "%s is damaged, or lies where reading hangs: libbabeltrace2 gave "
				       "nothing of it for half a minute, or in 5 s of computing; copy it to this "
				       "machine's disk, or see what babeltrace2 says of it",
				       path);
	}
	return scope_error_set(error, err, "%s: %s", path, strerror(-err));
}

int scope_import_ctf(const char *path, const struct scope_import_choice *choice, struct scope_writer *writer,
		     struct scope_error *error, struct scope_import_result *ret_result)
{
	struct reader reader = { .path = path };
	struct scope_import *import = NULL;
	uint64_t left_out = 0;
	int err;

	error->text[0] = '\0';
	err = scope_import_babeltrace_load(error);
	if (!err)
		err = scope_import_create(choice, writer, error, &import);
	if (!err)
		err = scope_import_run_reader(read_ctf, &reader, SCOPE_IMPORT_MESSAGE_SILENCE_MS, import, &left_out);
	if (err && !error->text[0])
		err = explain(error, path, err);
	if (!err)
		err = scope_import_finish(import, "ctf", NULL);
	scope_import_destroy(import);
	if (!err)
		*ret_result = (struct scope_import_result){ .left_out = left_out };
	return err;
}
