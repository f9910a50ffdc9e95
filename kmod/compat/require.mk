# SPDX-License-Identifier: GPL-2.0-only
# Kernels that the module cannot be for: one sentence, not a hundred errors. `make clean` reads no
# configuration, and is let through.
ifneq ($(CONFIG_MODULES),)
ifneq ($(filter 2 3.0 3.1 3.2 3.3 3.4 3.5 3.6 3.7 3.8 3.9,$(filter 2,$(VERSION)) $(VERSION).$(PATCHLEVEL)),)
$(error scope: kernel $(VERSION).$(PATCHLEVEL) is older than 3.10, the first that the module is for)
endif
ifeq ($(CONFIG_TRACEPOINTS),)
$(error scope: this kernel has no tracepoints (built without CONFIG_TRACEPOINTS), which the module records by)
endif
endif
