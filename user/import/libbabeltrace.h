/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of libbabeltrace2 that Scope uses: see base/shared_library.h. */
#ifndef SCOPE_IMPORT_LIBBABELTRACE_H
#define SCOPE_IMPORT_LIBBABELTRACE_H

#include <babeltrace2/babeltrace.h>

#include "base/shared_library.h"

#define SCOPE_IMPORT_BABELTRACE_FUNCTIONS(F)                                                                           \
	F(clock_snapshot_get_ns_from_origin)                                                                           \
	F(component_filter_borrow_input_port_by_index_const)                                                           \
	F(component_filter_borrow_output_port_by_index_const)                                                          \
	F(component_filter_get_input_port_count)                                                                       \
	F(component_sink_borrow_input_port_by_index_const)                                                             \
	F(component_source_borrow_output_port_by_index_const)                                                          \
	F(component_source_get_output_port_count)                                                                      \
	F(event_borrow_class_const)                                                                                    \
	F(event_borrow_common_context_field_const)                                                                     \
	F(event_borrow_packet_const)                                                                                   \
	F(event_borrow_payload_field_const)                                                                            \
	F(event_borrow_specific_context_field_const)                                                                   \
	F(event_class_get_name)                                                                                        \
	F(field_array_borrow_element_field_by_index_const)                                                             \
	F(field_array_get_length)                                                                                      \
	F(field_borrow_class_const)                                                                                    \
	F(field_class_structure_get_member_count)                                                                      \
	F(field_get_class_type)                                                                                        \
	F(field_integer_signed_get_value)                                                                              \
	F(field_integer_unsigned_get_value)                                                                            \
	F(field_string_get_value)                                                                                      \
	F(field_structure_borrow_member_field_by_index_const)                                                          \
	F(field_structure_borrow_member_field_by_name_const)                                                           \
	F(graph_add_filter_component)                                                                                  \
	F(graph_add_simple_sink_component)                                                                             \
	F(graph_add_source_component)                                                                                  \
	F(graph_connect_ports)                                                                                         \
	F(graph_create)                                                                                                \
	F(graph_put_ref)                                                                                               \
	F(graph_run)                                                                                                   \
	F(message_discarded_events_borrow_end_default_clock_snapshot_const)                                            \
	F(message_discarded_events_get_count)                                                                          \
	F(message_event_borrow_default_clock_snapshot_const)                                                           \
	F(message_event_borrow_event_const)                                                                            \
	F(message_get_type)                                                                                            \
	F(message_iterator_next)                                                                                       \
	F(message_put_ref)                                                                                             \
	F(packet_borrow_context_field_const)                                                                           \
	F(plugin_borrow_filter_component_class_by_name_const)                                                          \
	F(plugin_borrow_source_component_class_by_name_const)                                                          \
	F(plugin_find)                                                                                                 \
	F(plugin_put_ref)                                                                                              \
	F(value_array_append_string_element)                                                                           \
	F(value_array_create)                                                                                          \
	F(value_map_create)                                                                                            \
	F(value_map_insert_entry)                                                                                      \
	F(value_put_ref)

#define SCOPE_IMPORT_BABELTRACE_MEMBER(name) SCOPE_LIBRARY_MEMBER(bt_, name)

/* Filled by scope_import_babeltrace_load(), which therefore comes first. */
extern struct scope_import_babeltrace {
	SCOPE_IMPORT_BABELTRACE_FUNCTIONS(SCOPE_IMPORT_BABELTRACE_MEMBER)
} scope_import_babeltrace;

/* 0, or -ENOTSUP with error. */
int scope_import_babeltrace_load(struct scope_error *error);

#endif
