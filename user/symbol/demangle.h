/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns the symbols of C++ and Rust, and Java's signatures, into names as written in the source. */
#ifndef SCOPE_SYMBOL_DEMANGLE_H
#define SCOPE_SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The demangled name of a symbol: "_ZN2ns3Box4pushEi" gives "ns::Box::push". Arguments, return types and the hashes of
 * Rust are left out, so overloads share a name. It knows the Itanium C++ ABI (section 5.1), Rust's older scheme and v0,
 * all by libiberty, and the form of Java's perf maps, "void org.Box.push(int)". 0 and a string to free; -ENOENT: not a
 * mangled symbol, or its name would be too long to read; -ENOMEM.
 */
int scope_symbol_demangle(const char *symbol, char **ret_name);

/* True if `name` names the function: it equals its symbol, or the demangled name. */
bool scope_symbol_demangle_match(const char *symbol, const char *name);

#endif
