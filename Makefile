# SPDX-License-Identifier: GPL-2.0-only
# Scope: the module in kmod/, the programs in user/, and their tests. `make help` lists the targets.

BUILD ?= build
KDIR ?= /lib/modules/$(shell uname -r)/build
CC ?= gcc
V ?= 0
Q := $(if $(filter 1,$(V)),,@)

PKGS := libnl-3.0 libnl-genl-3.0 libdw libelf libzstd libdeflate zlib jansson
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
# With SAN=1 programs are compiled once and run for seconds: at -O1 that takes two thirds of the time. What is cut is a
# guess there.
CFLAGS ?= $(if $(filter 1,$(SAN)),-O1 -Wno-format-truncation,-O2) -g
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
# Sums and products are rounded separately: otherwise reports of machines with fused operations would differ.
SCOPE_CFLAGS = -std=gnu11 -ffp-contract=off $(WARN) $(CFLAGS) -D_GNU_SOURCE -Iinclude -Iuser \
	-I$(BUILD)/gen $(SANFLAGS) $(PKG_CFLAGS)

# SAN=1 builds with the address and undefined-behaviour sanitizers, in a tree of its own.
ifeq ($(SAN),1)
OUT := $(BUILD)/san
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else ifeq ($(LIBFUZZER),1)
# LIBFUZZER=1: the same, built by clang with what libFuzzer is led by.
OUT := $(BUILD)/libfuzzer
CC := clang
SANFLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -Wno-error
else
OUT := $(BUILD)/user
SANFLAGS :=
endif

# What replaces a library that cannot be linked; see `static` below.
ABSENT_SRC := $(sort $(wildcard user/*/*_absent.c))
# These libraries are loaded when they are first used (user/base/shared_library.h); building needs their headers.
# libmicrohttpd serves metrics (scope metrics --listen); without it that option says so.
HTTP_PKG := $(shell pkg-config --exists libmicrohttpd && echo libmicrohttpd)
NO_HTTP_SRC := $(if $(HTTP_PKG),,user/export/http.c)
# libcurl posts incidents (scope watch --webhook) and asks ClickHouse (scope fleet); without it these options say so.
CURL_PKG := $(shell pkg-config --exists libcurl && echo libcurl)
NO_CURL_SRC := $(if $(CURL_PKG),,user/watch/webhook.c user/fleet/http_client.c)
CURL_SRC := user/base/libcurl.c
# capstone finds the loop around a line; without it reports name none.
CAPSTONE_PKG := $(shell pkg-config --exists capstone && echo capstone)
NO_CAPSTONE_SRC := $(if $(CAPSTONE_PKG),,user/symbol/disassemble.c)
LOADED_PKGS := sqlite3 babeltrace2 $(HTTP_PKG) $(CURL_PKG) $(CAPSTONE_PKG)
SCOPE_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -liberty -lm
LIB_SRC := $(filter-out user/cmd/% $(ABSENT_SRC) $(NO_HTTP_SRC) $(NO_CURL_SRC) $(if $(CURL_PKG),,$(CURL_SRC)) $(NO_CAPSTONE_SRC), \
	$(sort $(wildcard user/*/*.c))) \
	$(NO_HTTP_SRC:%.c=%_absent.c) $(NO_CURL_SRC:%.c=%_absent.c) $(NO_CAPSTONE_SRC:%.c=%_absent.c)
CMD_SRC := $(sort $(wildcard user/cmd/*.c))
TEST_SRC := $(sort $(wildcard tests/unit/test_*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(OUT)/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(OUT)/%.o)
TEST_BIN := $(TEST_SRC:tests/unit/%.c=$(OUT)/tests/%)
FUZZ_BIN := $(patsubst tests/fuzz/%.c,$(OUT)/fuzz/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

.PHONY: all help setup user kmod tests clean
.DEFAULT_GOAL := all

all: user ## build the programs

help: ## list the targets
	$(Q)grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

setup: ## install what building needs
	$(Q)scripts/setup.sh build
	@echo 'All that building needs is installed. Next: make, and then build/user/scope doctor'

user: $(OUT)/scope $(OUT)/scope-report ## build scope and scope-report

$(OUT)/scope: $(CMD_OBJ) $(OUT)/libscope.a
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $(CMD_OBJ) $(OUT)/libscope.a $(SCOPE_LIBS)

$(OUT)/scope-report: $(OUT)/scope
	$(Q)ln -sf scope $@

$(OUT)/libscope.a: $(LIB_OBJ)
	$(Q)rm -f $@; $(AR) rcs $@ $(LIB_OBJ)

$(OUT)/%.o: %.c
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SCOPE_CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/tests/%: tests/unit/%.c $(OUT)/libscope.a
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SCOPE_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(OUT)/libscope.a $(SCOPE_LIBS) -lcmocka

# Linked with libFuzzer, or with tests/fuzz/main.c in its place.
$(OUT)/fuzz/%: tests/fuzz/%.c $(OUT)/libscope.a $(if $(LIBFUZZER),,tests/fuzz/main.c)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SCOPE_CFLAGS) $(if $(LIBFUZZER),-fsanitize=fuzzer) -MMD -MP -MF $@.d -o $@ \
		$(filter %.c,$^) $(OUT)/libscope.a $(SCOPE_LIBS)

# Numbers and names of system calls, from what the compiler finds as the machine's own.
$(BUILD)/gen/syscall_table.h: scripts/syscall-table.sh
	$(Q)mkdir -p $(@D)
	$(Q)CC="$(CC)" scripts/syscall-table.sh > $@.tmp && mv $@.tmp $@

$(BUILD)/gen/syscall_compat.h: scripts/syscall-table.sh
	$(Q)mkdir -p $(@D)
	$(Q)CC="$(CC)" scripts/syscall-table.sh compat > $@.tmp && mv $@.tmp $@

# The page of --format html: its style and scripts as C strings. Libraries come from `make page-libraries`, which the next build
# then puts in; without them the page is plain.
PAGE_SRC := $(sort $(wildcard user/report/html/*.css user/report/html/*.js))
PAGE_LIBRARIES := $(if $(wildcard $(BUILD)/page/done),$(wildcard $(BUILD)/page/node_modules/uplot))
$(BUILD)/gen/page_parts.h: scripts/embed.sh $(PAGE_SRC) $(wildcard $(BUILD)/page/done)
	$(Q)mkdir -p $(@D)
	$(Q)scripts/embed.sh user/report/html $(PAGE_LIBRARIES) > $@.tmp && mv $@.tmp $@

.PHONY: page-libraries
page-libraries: ## get the libraries of the report's page by npm, for the next build to put in (without them charts are plain)
	$(Q)scripts/page-libraries.sh

$(OUT)/user/report/page.o $(BUILD)/static/user/report/page.o: $(BUILD)/gen/page_parts.h

$(OUT)/user/base/syscall_name.o: $(BUILD)/gen/syscall_table.h $(BUILD)/gen/syscall_compat.h

# Tests of the module's pure code find the kernel headers that it includes in a shim.
$(addprefix $(OUT)/tests/test_,ring ring_flight ring_race clock drop filter table table_bad table_programs unwind_oracle unwind_walk unwinder) $(OUT)/fuzz/fuzz_table: private SCOPE_CFLAGS += -Itests/unit/shim

# The cost of stacks by frame pointers is measured in this program.
$(OUT)/bench/calls: private SCOPE_CFLAGS += -fno-omit-frame-pointer

# This test reads the database that it wrote.
$(OUT)/tests/test_signature_store: private SCOPE_LIBS += -lsqlite3

# This test compares the unwinders with libunwind; if libunwind is missing, the test reports it.
$(OUT)/tests/test_unwind_oracle: private SCOPE_LIBS += $(shell pkg-config --libs libunwind-ptrace libunwind-generic 2>/dev/null)
$(OUT)/bench/ring: private SCOPE_CFLAGS += -Itests/unit/shim

# This test has threads. The compiler does not combine the thread sanitizer with the others.
$(OUT)/tests/test_ring_race: private SANFLAGS := -fsanitize=thread

tests: $(TEST_BIN)

.PHONY: fuzz fuzz-programs
fuzz-programs: $(FUZZ_BIN)

fuzz: ## let libFuzzer look for input that breaks a reader: FUZZ_S=60 CPU seconds for each
	$(Q)scripts/setup.sh build fuzz
	$(Q)$(MAKE) --no-print-directory LIBFUZZER=1 fuzz-programs
	$(Q)tests/fuzz/run.sh $(or $(FUZZ_S),60)

# The sources are laid out as links in a folder of their own per kernel: kbuild leaves its objects there.
kmod: ## build scope.ko for KDIR (default: the running kernel), prints where it is
	$(Q)scripts/kmod.sh $(KDIR)

# Prerequisites that a target builds use all CPUs, unless make was called with -j.
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

KERNEL ?= 6.1
BUG ?= lock
SEED ?= 1

# What runs in the VM: the programs, the module for its kernel, and that kernel.
.PHONY: vm-ready check demo demo-all
vm-ready:
	$(Q)scripts/setup.sh build vm
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) -s user
	$(Q)scripts/kernel.sh $(KERNEL) > /dev/null
	$(Q)scripts/kernel.sh -x $(KERNEL) scripts/kmod.sh $(CURDIR)/$(BUILD)/kernels/$(KERNEL)/headers

demo: $(if $(filter perf,$(SOURCE)),user-ready,$(if $(HOST),host-ready,vm-ready)) ## run a server with BUG=lock|cpu|hang|none|… in a VM (HOST=1: on this kernel, SOURCE=perf: on this kernel, without the module), report on it, check the answer
	$(Q)scripts/setup.sh servers
	$(Q)tests/bugs/build.sh $(BUG)
	$(Q)HOST=$(HOST) SOURCE=$(SOURCE) KERNEL=$(KERNEL) scripts/demo.sh $(BUG) $(SEED)

# The programs alone; or with the module for the running kernel, where that takes modules.
.PHONY: user-ready host-ready
user-ready:
	$(Q)scripts/setup.sh build
	$(Q)$(MAKE) --no-print-directory user

host-ready:
	$(Q)scripts/setup.sh build
	$(Q)$(MAKE) --no-print-directory user kmod

demo-all: vm-ready ## every bug ten times with other seeds and loads (an hour)
	$(Q)scripts/setup.sh servers
	$(Q)tests/bugs/build.sh
	$(Q)KERNEL=$(KERNEL) scripts/demo-all.sh

.PHONY: pictures
pictures: user-ready ## make pictures of the pages and first screens of six kinds of answers, in build/pictures/, and check them
	$(Q)scripts/setup.sh browser
	$(Q)SCOPE=build/user/scope PICTURES=build/pictures tests/unit/report_pictures.sh

.PHONY: bugs bugs-healthy bugs-strangers bugs-mutants bugs-shapes bugs-contention bugs-vm
bugs: user-ready ## the bug bench, by perf events: every case of tests/bugs three times, and healthy twins; prints the table (CASES="cpu lock" for some, SEEDS=3)
	$(Q)scripts/setup.sh servers bugs histories sealed
	$(Q)SEEDS=$(SEEDS) tests/bugs/bench.sh $(CASES)

bugs-healthy: user-ready ## count false alarms: 100 healthy runs by perf events, on processors that are busy in different ways (RUNS=100)
	$(Q)scripts/setup.sh servers bugs histories sealed
	$(Q)tests/bugs/healthy.sh $(or $(RUNS),100)

bugs-strangers: user-ready ## count false alarms on servers as Debian ships them, in eight languages (RUNS=1)
	$(Q)tests/bugs/strangers.sh -n $(or $(RUNS),1)

bugs-mutants: user-ready ## make functions of healthy servers slow, chosen at random, and count how often they are named (RUNS=1 SEED=1)
	$(Q)scripts/setup.sh servers bugs histories sealed mutants
	$(Q)/usr/bin/python3 tests/bugs/mutants.py -n $(or $(RUNS),1) -s $(or $(SEED),1)

bugs-shapes: user-ready ## ask about servers of ten shapes with bugs of 97 kinds, and healthy ones under loads of 19 kinds (CASES="queue/cpu" for some, SEED=1)
	$(Q)python3 tests/bugs/shapes.py -s $(or $(SEED),1) $(foreach case,$(CASES),'$(case)')

bugs-contention: user-ready ## ask what changed where servers contend for a CPU, a disk, a lock or memory, and where nothing did (SEEDS=5, 40 minutes)
	$(Q)scripts/setup.sh bugs strangers
	$(Q)SEEDS=$(SEEDS) python3 tests/bugs/contention/contention.py

# One case of each kind of bug.
CASES_VM = cpu lock io hang own-bytes own-log own-sleep own-history own-two own-three own-starve own-flood \
	own-retry own-convoy own-wakeup redis-fsync nginx-log sealed-spin sealed-four
bugs-vm: vm-ready ## a third of its cases in a VM, with the module (CASES="cpu lock" for others, KERNEL=6.1, SEEDS=3)
	$(Q)scripts/setup.sh servers
	$(Q)OUT=$(BUILD)/bugs-vm KERNEL=$(KERNEL) SEEDS=$(SEEDS) tests/bugs/bench.sh $(or $(CASES),$(CASES_VM))

.PHONY: check-matrix
check-matrix: ## the module's tests on every Debian kernel that scripts/kernel.sh knows
	$(Q)scripts/setup.sh build vm
	$(Q)scripts/check.sh matrix

.PHONY: check-debug soak
check-debug: ## the module's tests on a kernel that checks itself (KASAN, lockdep, kmemleak, failing allocations)
	$(Q)scripts/setup.sh build vm kernel
	$(Q)scripts/check.sh debug

soak: ## an hour of sessions at random on that kernel (SOAK_S=3600 SEED=1), a million damaged traces, and ROUNDS=1000 reloads of each kind, and as many thousand messages at random
	$(Q)scripts/setup.sh build vm kernel
	$(Q)SOAK_S=$(SOAK_S) SEED=$(SEED) ROUNDS=$(ROUNDS) scripts/check.sh soak

.PHONY: check-old
check-old: ## compile the module against the prepared kernel trees KDIR="DIR...", without a warning; BOOT=1: build a small kernel from each, boot it, run the module's tests
	$(Q)$(if $(filter default,$(origin CC)),CC=,CC="$(CC)") BOOT=$(BOOT) scripts/check-old.sh $(KDIR)

.PHONY: check-arm64
check-arm64: ## compile the module and the static scope for arm64, run the basic tests and a report on an emulated machine
	$(Q)tests/vm/arm64.sh

check: vm-ready ## the everyday set of tests, its own set-up included
	$(Q)scripts/setup.sh test servers browser
	$(Q)scripts/page-libraries.sh || :
	$(Q)scripts/export-readers.sh || :
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) -s user # with these libraries: else a test that builds it replaces it under others
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) SAN=1 user tests
	$(Q)tests/bugs/build.sh lock none
	$(Q)KERNEL=$(KERNEL) scripts/check.sh

PREFIX ?= /usr/local

# One file that runs from any folder on any host, whatever its C library. A file that needs babeltrace2, or
# loads a library, is left out, and the file of the same name with _absent.c takes its place. The linker warns
# of look-ups that libnl and sqlite could do and Scope never asks for, and of the look-up of users, for
# which user/cmd/main.c chooses files.
STATIC_LIBS = $(shell pkg-config --static --libs $(PKGS) sqlite3 $(CAPSTONE_PKG)) -liberty -lm
# SQLite and capstone are linked: reports of both programs name the same signatures and loops.
STATIC_ABSENT := $(filter-out $(if $(CAPSTONE_PKG),user/symbol/disassemble_absent.c),$(ABSENT_SRC))
# Sources that differ with SCOPE_STATIC, and sources that are left out.
STATIC_SRC := user/cmd/main.c user/base/shared_library.c user/base/libsqlite.c $(if $(CAPSTONE_PKG),user/symbol/disassemble.c) $(STATIC_ABSENT)
STATIC_LEFT_OUT := $(STATIC_SRC) $(STATIC_ABSENT:%_absent.c=%.c) $(CURL_SRC) user/import/libbabeltrace.c
STATIC_OBJ := $(STATIC_SRC:%.c=$(BUILD)/static/%.o) $(filter-out $(STATIC_LEFT_OUT:%.c=$(OUT)/%.o),$(CMD_OBJ) $(LIB_OBJ))

.PHONY: static
static: $(BUILD)/static/scope ## build scope as one file that needs no library, for old hosts (no import of CTF, no debuginfod)

$(BUILD)/static/%.o: %.c
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SCOPE_CFLAGS) -DSCOPE_STATIC -MMD -MP -c -o $@ $<

$(BUILD)/static/scope: $(STATIC_OBJ)
	$(Q)$(CC) $(SANFLAGS) -static -s -o $@ $^ $(STATIC_LIBS) 2>$(@D)/link.log || \
		{ cat $(@D)/link.log; exit 1; }
	$(Q)ln -sf scope $(@D)/scope-report

# This file does nothing, but is linked with the libraries that scope loads: packages take their dependencies from it.
$(BUILD)/loaded.so: Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -nostdlib -Wl,--no-as-needed -o $@ $(shell pkg-config --libs $(LOADED_PKGS))

.PHONY: docs install dkms
docs: user ## check that the documents agree with the tree
	$(Q)scripts/check-docs.sh $(OUT)/scope

.PHONY: style
style: ## check the style of the C sources; any line that clang-format would change is an error (DIFF=1 shows it)
	$(Q)scripts/setup.sh style
	$(Q)scripts/style.sh

.PHONY: format
format: ## apply clang-format to all C sources
	$(Q)scripts/setup.sh style
	$(Q)APPLY=1 scripts/style.sh

# PROGRAM: what is installed as scope, where it is not the one that `make` builds.
PROGRAM ?= $(OUT)/scope

.PHONY: install-files
install: user ## install the programs, man pages, completions and a systemd unit below PREFIX (and DESTDIR)
	$(Q)$(MAKE) --no-print-directory install-files
	@$(if $(DESTDIR),:,echo 'Installed below $(PREFIX). Next: scope doctor, and for the module: make dkms')

install-files:
	$(Q)install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	$(Q)install -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/scope
	$(Q)ln -sf scope $(DESTDIR)$(PREFIX)/bin/scope-report
	$(Q)install -m 644 docs/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	$(Q)install -d $(DESTDIR)$(PREFIX)/share/scope
	$(Q)install -m 644 docs/schema/*.json $(DESTDIR)$(PREFIX)/share/scope/
	$(Q)install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	$(Q)$(PROGRAM) completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/scope
	$(Q)ln -sf scope $(DESTDIR)$(PREFIX)/share/bash-completion/completions/scope-report
	$(Q)$(PROGRAM) completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_scope
	$(Q)install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	$(Q)sed 's,@BINDIR@,$(PREFIX)/bin,' scripts/scope-record@.service \
		> $(DESTDIR)$(PREFIX)/lib/systemd/system/scope-record@.service

.PHONY: deb
deb: ## build the Debian packages scope and scope-dkms, in build/deb/
	$(Q)scripts/deb.sh

.PHONY: rpm check-rpm
rpm: ## build the rpm packages scope and scope-dkms, in build/rpm/
	$(Q)scripts/rpm.sh

check-rpm: rpm ## install these in a copy of this system, build the module they bring, upgrade, remove
	$(Q)tests/vm/rpm.sh

.PHONY: check-deb
check-deb: deb vm-ready ## install these on a clean Debian 12, load the module they bring, remove them
	$(Q)tests/vm/deb.sh

dkms: ## give the module to DKMS, for all kernels of this host that have headers
	$(Q)scripts/setup.sh dkms
	$(Q)dkms/install.sh

BENCH_BIN := $(patsubst tests/bench/%.c,$(OUT)/bench/%,$(filter-out %/empty.c,$(sort $(wildcard tests/bench/*.c))))

$(OUT)/bench/%: tests/bench/%.c $(OUT)/libscope.a
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SCOPE_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(OUT)/libscope.a $(SCOPE_LIBS)

.PHONY: bench bench-programs
bench-programs: $(BENCH_BIN)

bench: vm-ready ## measure the cost of tracing (in instructions) and the speed of the analysis
	$(Q)scripts/setup.sh servers test
	$(Q)$(MAKE) --no-print-directory bench-programs
	$(Q)KERNEL=$(KERNEL) tests/bench/run.sh

.PHONY: bench-causal
bench-causal: vm-ready ## what virtual speedups predict, beside Coz and the programs really made faster (SEEDS="1 2 3")
	$(Q)KERNEL=$(KERNEL) tests/bench/causal/run.sh

clean: ## remove what was built
	$(Q)rm -rf $(BUILD)

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(STATIC_OBJ:.o=.d) $(TEST_BIN:=.d) $(FUZZ_BIN:=.d) $(BENCH_BIN:=.d)
