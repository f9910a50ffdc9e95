// SPDX-License-Identifier: GPL-2.0-only
/* Shared by pictures: text, and the places of ticks on an axis. */
#include "report/svg.h"

#include <math.h>

void scope_report_svg_text(const char *text, FILE *out)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			/* Control characters are none of XML's. */
			fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
		}
	}
}

double scope_report_svg_tick(double range, unsigned ticks)
{
	static const double steps[] = { 1, 2, 2.5, 5, 10 };
	const double power = pow(10, floor(log10(range / ticks)));
	unsigned i = 0;

	while (i < 4 && steps[i] * power < range / ticks)
		i++;
	return steps[i] * power;
}
