// SPDX-License-Identifier: GPL-2.0-only
/* Turns libdw's call frame information into rules that are quick to follow. */
#include "symbol/rule.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <scope/abi.h>

#define OPS_MAX 512 /* operations of all expressions of one address; a signal frame has some 40 */

/* DWARF numbers (x86-64 psABI, figure 3.36; i386 psABI, table 2.14). */
#define RBX_X86_64 3
#define RSP_X86_64 7
#define RA_X86_64 16
#define ESP_I386 4
#define RA_I386 8

/* A rule that is being built. */
struct open_unit {
	struct scope_rule rule;
	struct scope_rule_value value[SCOPE_REG_MAX];
	Dwarf_Op op[OPS_MAX];
	size_t ops;
};

/* Finds the sections of the procedure linkage table: .plt, .plt.got, .plt.sec, … */
static int plt_find(Elf *elf, struct scope_ranges *plt)
{
	Elf_Scn *scn = NULL;
	size_t names;
	int err = 0;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while (!err && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;

		if (name && !strncmp(name, ".plt", 4) && shdr.sh_flags & SHF_EXECINSTR)
			err = scope_symbol_ranges_add(plt, shdr.sh_addr, shdr.sh_addr + shdr.sh_size, 0);
	}
	scope_symbol_ranges_sort(plt);
	return err;
}

int scope_symbol_rules_init(struct scope_rules *rules, Dwfl_Module *module, Elf *elf)
{
	GElf_Ehdr ehdr;

	*rules = (struct scope_rules){ .module = module };
	rules->eh = dwfl_module_eh_cfi(module, &rules->eh_bias);
	if (!gelf_getehdr(elf, &ehdr))
		return 0;
	if (ehdr.e_machine == EM_X86_64) {
		rules->registers = SCOPE_REG_COUNT_X86_64; /* rip is the column of the return address */
		return plt_find(elf, &rules->plt);
	}
	if (ehdr.e_machine == EM_386) {
		rules->registers = SCOPE_RULE_REGISTERS_I386;
		return plt_find(elf, &rules->plt);
	}
	if (ehdr.e_machine == EM_AARCH64)
		rules->registers = SCOPE_REG_COUNT_ARM64 - 1; /* pc has no column */
	return 0;
}

static void rule_free(void *value)
{
	struct scope_rule *rule = value;

	free(rule->op);
	free(rule);
}

void scope_symbol_rules_free(struct scope_rules *rules)
{
	scope_symbol_addresses_free(&rules->by_link, rule_free);
	scope_symbol_ranges_free(&rules->plt);
}

static Dwarf_Frame *frame_find(struct scope_rules *rules, uint64_t link)
{
	Dwarf_Frame *frame = NULL;

	if (rules->eh && !dwarf_cfi_addrframe(rules->eh, link - rules->eh_bias, &frame))
		return frame;
	if (!rules->debug_tried) /* this searches for debug files, so it is done only if needed */
		rules->debug = dwfl_module_dwarf_cfi(rules->module, &rules->debug_bias);
	rules->debug_tried = true;
	if (rules->debug && !dwarf_cfi_addrframe(rules->debug, link - rules->debug_bias, &frame))
		return frame;
	return NULL;
}

/* Copies an expression into the rule. Returns false if there is no room. */
static bool build_expression(struct open_unit *open_unit, const Dwarf_Op *ops, size_t count,
			     struct scope_rule_value *value)
{
	if (count > OPS_MAX - open_unit->ops)
		return false;
	value->value = open_unit->ops;
	value->ops = count;
	memcpy(open_unit->op + open_unit->ops, ops, count * sizeof(*ops));
	open_unit->ops += count;
	return true;
}

/* Register plus offset in one operation. */
static bool base_register(const Dwarf_Op *op, struct scope_rule_value *value)
{
	if (op->atom == DW_OP_bregx) {
		value->from = op->number < SCOPE_REG_MAX ? op->number : 0xff;
		value->value = op->number2;
	} else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		value->from = op->atom - DW_OP_breg0;
		value->value = op->number;
	} else {
		return false;
	}
	value->kind = SCOPE_RULE_REGISTER;
	return value->from < SCOPE_REG_MAX;
}

static bool build_cfa(struct open_unit *open_unit, Dwarf_Frame *frame)
{
	struct scope_rule_value *cfa = &open_unit->rule.cfa;
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count) || !count)
		return false;
	if (count == 1 && base_register(ops, cfa))
		return true;
	cfa->kind = SCOPE_RULE_EXPRESSION;
	return build_expression(open_unit, ops, count, cfa);
}

/* CFA plus a constant, as libdw writes it for the plain rules. */
static bool cfa_relative(const Dwarf_Op *ops, size_t count, int64_t *ret_offset)
{
	if (ops[0].atom != DW_OP_call_frame_cfa || count > 2 || (count == 2 && ops[1].atom != DW_OP_plus_uconst))
		return false;
	*ret_offset = count == 2 ? ops[1].number : 0;
	return true;
}

static bool build_register(struct open_unit *open_unit, Dwarf_Frame *frame, unsigned int reg)
{
	struct scope_rule_value *value = &open_unit->value[open_unit->rule.count];
	Dwarf_Op memory[3], *ops;
	size_t count;
	bool computed;

	if (dwarf_frame_register(frame, reg, memory, &ops, &count))
		return false;
	if (!count) {
		if (ops) /* the address itself, not the value there */
			open_unit->rule.undefined |= 1ull << reg;
		return true;
	}
	*value = (struct scope_rule_value){ .reg = reg };
	open_unit->rule.count++;
	if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		value->from = ops[0].atom - DW_OP_reg0;
		return true; /* kind REGISTER */
	}
	if (count == 1 && ops[0].atom == DW_OP_regx) {
		value->from = ops[0].number < SCOPE_REG_MAX ? ops[0].number : 0;
		return ops[0].number < SCOPE_REG_MAX;
	}
	computed = ops[count - 1].atom == DW_OP_stack_value;
	count -= computed;
	if (count && cfa_relative(ops, count, &value->value)) {
		value->kind = computed ? SCOPE_RULE_CFA : SCOPE_RULE_AT_CFA;
		return true;
	}
	value->kind = computed ? SCOPE_RULE_EXPRESSION : SCOPE_RULE_AT_EXPRESSION;
	return build_expression(open_unit, ops, count, value);
}

/* Linkers write no tables for the jumps (.plt) of a static program. The rule is that of a function's entry. */
static void build_plt(struct open_unit *open_unit, bool i386)
{
	const uint8_t sp = i386 ? ESP_I386 : RSP_X86_64, ra = i386 ? RA_I386 : RA_X86_64;
	const int64_t word = i386 ? 4 : 8;

	open_unit->rule.known = true;
	open_unit->rule.ra = ra;
	open_unit->rule.cfa = (struct scope_rule_value){ .kind = SCOPE_RULE_REGISTER, .from = sp, .value = word };
	open_unit->value[0] = (struct scope_rule_value){ .reg = ra, .kind = SCOPE_RULE_AT_CFA, .value = -word };
	open_unit->rule.count = 1;
}

static void build_fill(struct open_unit *open_unit, struct scope_rules *rules, uint64_t link)
{
	Dwarf_Frame *frame = rules->registers ? frame_find(rules, link) : NULL;
	bool good;
	int ra;

	open_unit->rule = (struct scope_rule){ 0 };
	open_unit->ops = 0;
	if (!frame) {
		if (scope_symbol_ranges_find(&rules->plt, link))
			build_plt(open_unit, rules->registers == SCOPE_RULE_REGISTERS_I386);
		return;
	}
	ra = dwarf_frame_info(frame, NULL, NULL, &open_unit->rule.signal);
	good = ra >= 0 && ra < (int)rules->registers && build_cfa(open_unit, frame);
	for (unsigned int reg = 0; good && reg < rules->registers; reg++)
		good = build_register(open_unit, frame, reg);
	/* libdw up to 0.188 (x86_64_abi_cfi) lists rax instead of rbx among the preserved registers. */
	if (rules->registers == SCOPE_REG_COUNT_X86_64)
		open_unit->rule.undefined &= ~(1ull << RBX_X86_64);
	open_unit->rule.ra = ra;
	open_unit->rule.known = good;
	if (!good)
		open_unit->rule.count = open_unit->ops = 0;
	free(frame);
}

int scope_symbol_rules_get(struct scope_rules *rules, uint64_t link, const struct scope_rule **ret_rule)
{
	struct scope_rule *rule = scope_symbol_addresses_get(&rules->by_link, link);
	struct open_unit open_unit;
	size_t values;

	if (rule) {
		*ret_rule = rule;
		return 0;
	}
	build_fill(&open_unit, rules, link);
	values = open_unit.rule.count * sizeof(*rule->value);
	rule = malloc(sizeof(*rule) + values);
	if (!rule)
		return -ENOMEM;
	*rule = open_unit.rule;
	memcpy(rule->value, open_unit.value, values);
	if (open_unit.ops) {
		rule->op = malloc(open_unit.ops * sizeof(*rule->op));
		if (rule->op)
			memcpy(rule->op, open_unit.op, open_unit.ops * sizeof(*rule->op));
	}
	if ((open_unit.ops && !rule->op) || scope_symbol_addresses_put(&rules->by_link, link, rule)) {
		rule_free(rule);
		return -ENOMEM;
	}
	*ret_rule = rule;
	return 0;
}
