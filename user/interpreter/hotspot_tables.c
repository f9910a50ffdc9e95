// SPDX-License-Identifier: GPL-2.0-only
/* Reads the tables that libjvm.so exports for debuggers (vmStructs.cpp of OpenJDK). */
#include "interpreter/hotspot_tables.h"

#include <stddef.h>
#include <string.h>

#define FIELDS_MAX 4096	     /* no rule: rows of the table of members, of which a JVM has about 800 */
#define NOT_FOUND UINT64_MAX /* no rule */

/* Members that are needed. A static one has an address instead of an offset. */
static const struct {
	const char *type, *field;
	size_t to;
	bool inlines; /* only needed to find inlined methods */
} fields[] = {
#define FIELD(type, field, name)                                                                                       \
	{                                                                                                              \
		type, field, offsetof(struct scope_hotspot_offsets, name), false                                       \
	}
#define INLINES(type, field, name)                                                                                     \
	{                                                                                                              \
		type, field, offsetof(struct scope_hotspot_offsets, name), true                                        \
	}
	FIELD("ThreadsSMRSupport", "_java_thread_list", list),
	FIELD("ThreadsList", "_length", list_length),
	FIELD("ThreadsList", "_threads", list_threads),
	FIELD("JavaThread", "_anchor", thread_anchor),
	FIELD("JavaThread", "_osthread", thread_system),
	FIELD("Thread", "_osthread", thread_system),
	FIELD("OSThread", "_thread_id", system_number),
	FIELD("JavaFrameAnchor", "_last_Java_sp", anchor_sp),
	FIELD("JavaFrameAnchor", "_last_Java_pc", anchor_pc),
	FIELD("JavaFrameAnchor", "_last_Java_fp", anchor_fp),
	FIELD("AbstractInterpreter", "_code", code),
	FIELD("StubQueue", "_stub_buffer", queue_buffer),
	FIELD("StubQueue", "_buffer_limit", queue_limit),
	FIELD("CodeCache", "_heaps", heaps),
	FIELD("GrowableArrayBase", "_len", array_length),
	FIELD("GenericGrowableArray", "_len", array_length),
	FIELD("GrowableArray<int>", "_data", array_data),
	FIELD("CodeHeap", "_memory", heap_memory),
	FIELD("CodeHeap", "_segmap", heap_map),
	FIELD("CodeHeap", "_log2_segment_size", heap_shift),
	FIELD("VirtualSpace", "_low", space_low),
	FIELD("VirtualSpace", "_high", space_high),
	FIELD("CodeBlob", "_name", blob_name),
	FIELD("CodeBlob", "_frame_size", blob_frame),
	FIELD("CompiledMethod", "_method", blob_method),
	FIELD("nmethod", "_method", blob_method),
	FIELD("Method", "_constMethod", method_const),
	FIELD("ConstMethod", "_constants", const_pool),
	FIELD("ConstMethod", "_name_index", const_name),
	FIELD("ConstMethod", "_signature_index", const_signature),
	FIELD("ConstantPool", "_pool_holder", pool_class),
	FIELD("Klass", "_name", class_name),
	FIELD("Symbol", "_length", symbol_length),
	FIELD("Symbol", "_body", symbol_body),
	INLINES("CodeBlob", "_code_begin", blob_begin),
	INLINES("CompiledMethod", "_scopes_data_begin", blob_scopes),
	INLINES("nmethod", "_metadata_offset", blob_methods),
	INLINES("nmethod", "_scopes_pcs_offset", blob_pcs),
	INLINES("nmethod", "_dependencies_offset", blob_pcs_end),
	INLINES("PcDesc", "_pc_offset", pc_place),
	INLINES("PcDesc", "_scope_decode_offset", pc_scope),
#undef FIELD
#undef INLINES
};

void scope_interpreter_hotspot_text(struct scope_memory *memory, uint64_t address, char text[SCOPE_HOTSPOT_TEXT])
{
	text[0] = '\0';
	for (size_t i = 0; address && i + 1 < SCOPE_HOTSPOT_TEXT; i++) {
		if (!scope_interpreter_memory_get(memory, address + i, &text[i], 1) || !text[i])
			break;
		text[i + 1] = '\0';
	}
}

/* Reads the value of an exported word. */
static bool exported(struct scope_memory *memory, const struct scope_dynamic *dynamic, const char *name,
		     uint64_t *ret_word)
{
	uint64_t address;

	return scope_interpreter_dynamic_find(memory, dynamic, name, &address) &&
	       scope_interpreter_memory_word(memory, address, ret_word);
}

static void take_field(struct scope_hotspot_offsets *offsets, const char *type, const char *field, uint64_t value)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(type, fields[i].type) && !strcmp(field, fields[i].field))
			memcpy((char *)offsets + fields[i].to, &value, sizeof(value));
}

static bool read_fields(struct scope_memory *memory, const struct scope_dynamic *dynamic,
			struct scope_hotspot_offsets *offsets)
{
	uint64_t at, stride, type_at, field_at, offset_at, address_at, static_at;

	if (!exported(memory, dynamic, "gHotSpotVMStructs", &at) ||
	    !exported(memory, dynamic, "gHotSpotVMStructEntryArrayStride", &stride) ||
	    !exported(memory, dynamic, "gHotSpotVMStructEntryTypeNameOffset", &type_at) ||
	    !exported(memory, dynamic, "gHotSpotVMStructEntryFieldNameOffset", &field_at) ||
	    !exported(memory, dynamic, "gHotSpotVMStructEntryOffsetOffset", &offset_at) ||
	    !exported(memory, dynamic, "gHotSpotVMStructEntryAddressOffset", &address_at) ||
	    !exported(memory, dynamic, "gHotSpotVMStructEntryIsStaticOffset", &static_at) || !at || !stride)
		return false;
	for (unsigned i = 0; i < FIELDS_MAX; i++, at += stride) {
		char type[SCOPE_HOTSPOT_TEXT], field[SCOPE_HOTSPOT_TEXT];
		uint64_t type_name, field_name, value;
		uint32_t is_static;

		if (!scope_interpreter_memory_word(memory, at + type_at, &type_name) ||
		    !scope_interpreter_memory_word(memory, at + field_at, &field_name) ||
		    !scope_interpreter_memory_get(memory, at + static_at, &is_static, sizeof(is_static)) ||
		    !scope_interpreter_memory_word(memory, at + (is_static ? address_at : offset_at), &value))
			return false;
		if (!type_name)
			return true;
		scope_interpreter_hotspot_text(memory, type_name, type);
		scope_interpreter_hotspot_text(memory, field_name, field);
		take_field(offsets, type, field, value);
	}
	return false;
}

/* Reads the size of a type. */
static bool read_size(struct scope_memory *memory, const struct scope_dynamic *dynamic, const char *type,
		      uint64_t *ret_size)
{
	uint64_t at, stride, type_at, size_at;

	if (!exported(memory, dynamic, "gHotSpotVMTypes", &at) ||
	    !exported(memory, dynamic, "gHotSpotVMTypeEntryArrayStride", &stride) ||
	    !exported(memory, dynamic, "gHotSpotVMTypeEntryTypeNameOffset", &type_at) ||
	    !exported(memory, dynamic, "gHotSpotVMTypeEntrySizeOffset", &size_at) || !at || !stride)
		return false;
	for (unsigned i = 0; i < FIELDS_MAX; i++, at += stride) {
		char text[SCOPE_HOTSPOT_TEXT];
		uint64_t name;

		if (!scope_interpreter_memory_word(memory, at + type_at, &name) || !name)
			return false;
		scope_interpreter_hotspot_text(memory, name, text);
		if (!strcmp(text, type))
			return scope_interpreter_memory_word(memory, at + size_at, ret_size);
	}
	return false;
}

bool scope_interpreter_hotspot_tables(struct scope_memory *memory, const struct scope_dynamic *dynamic,
				      struct scope_hotspot_offsets *ret_offsets)
{
	memset(ret_offsets, 0xff, sizeof(*ret_offsets));
	if (!read_fields(memory, dynamic, ret_offsets) ||
	    !read_size(memory, dynamic, "ConstantPool", &ret_offsets->pool_size) ||
	    !read_size(memory, dynamic, "HeapBlock", &ret_offsets->block_size))
		return false;
	ret_offsets->inlines = read_size(memory, dynamic, "PcDesc", &ret_offsets->pc_size) && ret_offsets->pc_size;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t value;

		memcpy(&value, (const char *)ret_offsets + fields[i].to, sizeof(value));
		if (value == NOT_FOUND && !fields[i].inlines)
			return false;
		ret_offsets->inlines &= value != NOT_FOUND;
	}
	return true;
}
