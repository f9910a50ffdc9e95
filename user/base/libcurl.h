/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of libcurl that Scope uses: see base/shared_library.h. */
#ifndef SCOPE_BASE_LIBCURL_H
#define SCOPE_BASE_LIBCURL_H

#include <curl/curl.h>

#include "base/shared_library.h"

#define SCOPE_CURL_FUNCTIONS(F)                                                                                        \
	F(easy_cleanup)                                                                                                \
	F(easy_escape)                                                                                                 \
	F(easy_getinfo)                                                                                                \
	F(easy_init)                                                                                                   \
	F(easy_perform)                                                                                                \
	F(easy_reset)                                                                                                  \
	F(easy_setopt)                                                                                                 \
	F(easy_strerror)                                                                                               \
	F(free)                                                                                                        \
	F(slist_append)                                                                                                \
	F(slist_free_all)

#define SCOPE_CURL_MEMBER(name) SCOPE_LIBRARY_MEMBER(curl_, name)

/* Filled by scope_curl_load(), which therefore comes first. */
extern struct scope_curl {
	SCOPE_CURL_FUNCTIONS(SCOPE_CURL_MEMBER)
} scope_curl;

/* 0, or -ENOTSUP with error (NULL is fine). */
int scope_curl_load(struct scope_error *error);

#endif
