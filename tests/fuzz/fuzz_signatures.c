// SPDX-License-Identifier: GPL-2.0-only
/* Signatures as JSON: those that are imported can be exported, and a second import gives the same signatures. */
#include "fuzz.h"
#include "signature/json_exchange.h"

static const struct scope_mine_options options = { 2, 50 };

/* The database's text after the bytes were imported; NULL if they are refused. */
static char *text_of(const void *data, size_t bytes)
{
	FILE *from = fmemopen((void *)data, bytes, "r"), *to;
	struct scope_imported *imported;
	struct scope_error error = { "" };
	struct scope_store *store;
	size_t size, episodes;
	char *text = NULL;
	int code;

	if (!from || scope_signature_store_open(":memory:", SCOPE_STORE_WRITE, NULL, &store))
		fuzz_die("no memory");
	code = scope_signature_import(from, "fuzz", &error, &imported);
	fclose(from);
	if (code && !error.text[0])
		fuzz_die("refused without a word");
	if (!code) {
		to = open_memstream(&text, &size);
		if (scope_signature_store_add(store, scope_signature_imported_learned(imported), &options, &error,
					      &episodes))
			fuzz_die(error.text);
		if (!to || scope_signature_export(store, NULL, to, &error) || fclose(to))
			fuzz_die(error.text);
		scope_signature_imported_destroy(imported);
	}
	scope_signature_store_close(store);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = bytes ? text_of(data, bytes) : NULL, *again;

	if (!text)
		return 0;
	again = text_of(text, strlen(text));
	if (!again || strcmp(text, again)) {
		fprintf(stderr, "--- first\n%s--- again\n%s", text, again ? again : "");
		fuzz_die("signatures changed on their way through a database");
	}
	free(again);
	free(text);
	return 0;
}
