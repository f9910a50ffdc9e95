/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Unwind tables: how the module walks the stacks of programs that keep no frame pointers.
 *
 * User space compiles the call frame information of a file (.eh_frame) into a table, and hands that
 * and the mappings of each traced process to a session. With STACK_MODE tables (scope/control.h)
 * a stack is then walked as it is taken, and becomes a FRAMES record. If a walk cannot go on, the stack is
 * copied instead, with the reason (enum scope_copy_reason) in the flags of its STACK record.
 *
 * A table, in the byte order and alignment of the machine:
 *
 *   +---------------------+-------------------------+--------------------+----------------+
 *   | scope_table_header  | scope_table_rule[rules] | u32 first[pages+1] | u32 row[rows]  |
 *   +---------------------+-------------------------+--------------------+----------------+
 *
 * Page p has the link addresses from start + p * 64 KiB on. Its rows are first[p] to first[p + 1] - 1,
 * sorted by address. A row is good from its address to that of the next one, or to the end of the page:
 *
 *    31                    16 15                     0
 *   +------------------------+------------------------+
 *   | offset in the page     | index of its rule      |
 *   +------------------------+------------------------+
 *
 * A step from a frame (pc, sp, fp and, where the machine has one, the link register):
 *
 *   CFA = by `cfa` and cfa_offset. It is above sp, except in a signal handler's frame.
 *   ra  = by `ra` and ra_offset: the pc of the caller; 0 ends the stack
 *   fp  = by `fp` and fp_offset: that of the caller
 *   sp  = CFA
 *
 * All is checked as a table comes: sizes, order, indices, kinds. -EINVAL: something there is wrong.
 */
#ifndef SCOPE_TABLE_H
#define SCOPE_TABLE_H

#include <linux/ioctl.h>
#include <scope/abi.h>

/* One more value of STACK_MODE (enum scope_stack_mode). Modules that do not know it refuse it: EINVAL. */
#define SCOPE_STACK_TABLES 3

#define SCOPE_TABLE_MAGIC 0x62617453u /* "Stab" */
#define SCOPE_TABLE_PAGE_SHIFT 16
#define SCOPE_TABLE_PAGE_BYTES (1u << SCOPE_TABLE_PAGE_SHIFT)
#define SCOPE_TABLE_RULES_MAX 65536u
#define SCOPE_TABLE_PAGES_MAX 65536u
#define SCOPE_TABLE_BYTES_MAX (64u << 20)	/* of one table */
#define SCOPE_TABLES_BYTES_MAX (256ull << 20)	/* of those of all sessions together, with their maps */
#define SCOPE_TABLES_MAX 4096u			/* of a session */
#define SCOPE_TABLE_MAPS_MAX 65536u		/* of a process */
#define SCOPE_TABLE_PROCESSES_MAX 7680u		/* of a session */

struct scope_table_header {
	__u32 magic;
	__u32 bytes; /* of the whole table */
	__u32 rules;
	__u32 pages;
	__u32 rows;
	__u32 zero;
	__u64 start; /* a multiple of 64 KiB */
};

/* Never reuse a number of these two. */
enum scope_table_cfa {
	SCOPE_CFA_NONE = 0,  /* the file has no rule here */
	SCOPE_CFA_END = 1,   /* the outermost frame of a thread */
	SCOPE_CFA_OTHER = 2, /* the file has a rule that the other kinds cannot express */
	SCOPE_CFA_SP = 3,    /* sp + cfa_offset */
	SCOPE_CFA_FP = 4,    /* fp + cfa_offset */
	SCOPE_CFA_AT_SP = 5, /* the word in memory at sp + cfa_offset */
	SCOPE_CFA_AT_FP = 6, /* the word in memory at fp + cfa_offset */
	SCOPE_CFA_PLT = 7,   /* sp + cfa_offset, and 8 more if the low four bits of pc are fp_offset or more */
	SCOPE_CFA_KINDS = 8,
};

enum scope_table_value {
	SCOPE_VALUE_SAME = 0,	/* that of this frame; of ra: the link register */
	SCOPE_VALUE_AT_CFA = 1, /* the word in memory at CFA + offset */
	SCOPE_VALUE_AT_SP = 2,	/* at sp + offset */
	SCOPE_VALUE_AT_FP = 3,	/* at fp + offset */
	SCOPE_VALUE_LOST = 4,	/* not known in the caller */
	SCOPE_VALUE_KINDS = 5,
};

#define SCOPE_RULE_SIGNAL 0x01u /* the caller was interrupted, it did not call */

struct scope_table_rule {
	__u8 cfa;   /* enum scope_table_cfa */
	__u8 fp;    /* enum scope_table_value */
	__u8 ra;    /* the same */
	__u8 flags; /* SCOPE_RULE_* */
	__s32 cfa_offset;
	__s32 fp_offset;
	__s32 ra_offset;
};

/* An executable mapping. link: the link address of start. */
struct scope_table_map {
	__u64 start;
	__u64 end;
	__u64 link;
	__u32 table; /* number from TABLE_ADD, or one of those below */
	__u32 zero;
};

#define SCOPE_MAP_NO_TABLE 0u		/* walks that come here end, and the stack is copied */
#define SCOPE_MAP_FRAME_POINTERS (~0u)	/* code without tables that keeps frame pointers, as made at run time */

struct scope_ioc_table {
	__u64 address; /* of the table in the caller's memory */
	__u32 bytes;
	__u32 zero;
};

struct scope_ioc_maps {
	__u64 address; /* of struct scope_table_map[count], in order of addresses */
	__u32 count;
	__u32 tgid;
};

/*
 * TABLE_ADD copies a table and returns its number in the session, from 1 on. A table that another session, or this one,
 * has already is shared: by its content, so that no user of the module can give a wrong table to another one. E2BIG:
 * more than SCOPE_TABLE_BYTES_MAX. ENOSPC: SCOPE_TABLES_MAX of the session, or SCOPE_TABLES_BYTES_MAX.
 *
 * MAPS_SET replaces the mappings of a process, by its number in the caller's namespace; count 0 removes them. They are
 * good until the process executes another program. A child that executed none has those of its parent as long as it has
 * none of its own. ESRCH: no such process. E2BIG: more than SCOPE_TABLE_MAPS_MAX. ENOSPC: as above.
 *
 * Both: from CONFIGURE to STOP (EINVAL, ESHUTDOWN). Memory is charged to the
 * caller's memory control group, and freed with the last session that has the table.
 */
#define SCOPE_IOC_TABLE_ADD _IOW('S', 4, struct scope_ioc_table)
#define SCOPE_IOC_MAPS_SET _IOW('S', 5, struct scope_ioc_maps)

/*
 * The bits of STACK's flags from here on, as the module writes them: an enum scope_copy_reason. Files do not have them.
 */
#define SCOPE_STACK_COPY_SHIFT 5

/* Why a stack was copied although tables were to be used. Never reuse a number. */
enum scope_copy_reason {
	SCOPE_COPY_WANTED = 0,	 /* copies were requested */
	SCOPE_COPY_NO_MAPS = 1,	 /* the mappings of the process are not known */
	SCOPE_COPY_UNMAPPED = 2, /* nor is the one of an address */
	SCOPE_COPY_NO_TABLE = 3, /* its file has no table, or the table has no rule there */
	SCOPE_COPY_OTHER = 4,	 /* a rule that tables cannot express */
	SCOPE_COPY_MEMORY = 5,	 /* memory that is not there */
	SCOPE_COPY_DEEP = 6,	 /* SCOPE_STACK_DEPTH_MAX frames, and more to come */
	SCOPE_COPY_BROKEN = 7,	 /* impossible values, or a 32-bit program */
	SCOPE_COPY_REASONS = 8,
};

#endif
