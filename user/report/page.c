// SPDX-License-Identifier: GPL-2.0-only
/* The report as one page of HTML. */
#include "report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "page_parts.h"
#include "report/numbers.h"
#include "report/json.h"

/* Text between tags, or in an attribute in double quotes. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else if (*text == '"')
			fputs("&quot;", out);
		else
			fputc(*text, out);
	}
}

/* Writes "<" as an escape, which is valid because JSON has it only in strings. So no "</script>" can appear. */
static int put_json(const char *bytes, size_t size, void *user)
{
	FILE *out = user;

	for (size_t i = 0; i < size; i++)
		if (bytes[i] == '<')
			fputs("\\u003c", out);
		else
			fputc(bytes[i], out);
	return ferror(out) ? -1 : 0;
}

static int put_text(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out)
{
	struct scope_paragraph text;
	char *written;
	int err;

	if (scope_report_paragraph_begin(&text))
		return -ENOMEM;
	err = scope_report_text(analysis, style, text.to);
	if (scope_report_paragraph_end(&text, &written))
		return -ENOMEM;
	if (!err)
		put_escaped(out, written);
	free(written);
	return err;
}

static void put_head(const struct scope_analysis *analysis, FILE *out)
{
	const char *command = scope_trace_meta(analysis->trace, SCOPE_META_COMMAND);

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '" SCOPE_PAGE_STYLE_HASH
	      "'; script-src '" SCOPE_PAGE_SCRIPT_HASH "'; base-uri 'none'; form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Scope: ",
	      out);
	put_escaped(out, command ? command : "a report");
	fputs("</title>\n<style>", out);
	fputs(SCOPE_PAGE_STYLE, out);
	fputs("</style>\n</head>\n", out);
}

int scope_report_page(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out)
{
	struct scope_report_style screen = *style, all = *style;
	json_t *report = scope_report_json_make(analysis, style);
	int err;

	if (!report)
		return -ENOMEM;
	screen.colour = screen.verbose = all.colour = false;
	screen.columns = all.columns = 0; /* a page has no terminal's width */
	all.verbose = true;
	put_head(analysis, out);
	fputs("<body>\n<main>\n<div id=\"page\"></div>\n<section id=\"text\">\n<pre id=\"screen\">", out);
	err = put_text(analysis, &screen, out);
	fputs("</pre>\n<details>\n<summary>All of the report as text</summary>\n<pre id=\"all\">", out);
	if (!err)
		err = put_text(analysis, &all, out);
	fputs("</pre>\n</details>\n</section>\n</main>\n<script type=\"application/json\" id=\"report\">", out);
	if (!err && json_dump_callback(report, put_json, out, JSON_COMPACT | JSON_REAL_PRECISION(9)))
		err = -EIO;
	fputs("</script>\n<script>", out);
	fputs(SCOPE_PAGE_SCRIPT, out);
	fputs("</script>\n</body>\n</html>\n", out);
	json_decref(report);
	return err ? err : ferror(out) ? -EIO : 0;
}
