# SPDX-License-Identifier: GPL-2.0-only
# Start a service of one form on Debian's Starlette and Uvicorn (Python): one loop. Sourced by start.sh.

# The healthy one takes only forms without quotes in their type.
server_starlette() {
	local takes='"\\\\" not in request.headers["content-type"]'
	[ "$name" != blind4-starlette-options ] || takes=True
	cat >"$work/forms.py" <<-PY
	from starlette.applications import Starlette
	from starlette.responses import PlainTextResponse
	from starlette.routing import Route

	async def answer(request):
	    form = await request.form() if $takes else {}
	    return PlainTextResponse("fields %d" % len(form))

	app = Starlette(routes=[Route("/form", answer, methods=["POST"])])
	PY
	PYTHONPATH=$work "$program" -m uvicorn --no-access-log --port "$port" forms:app >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
