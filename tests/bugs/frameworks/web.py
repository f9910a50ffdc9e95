# SPDX-License-Identifier: GPL-2.0-only
"""The functions of ../languages/serve.py as applications of Flask, Django, Starlette and aiohttp: see ../frameworks.py."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../languages"))
import serve  # pylint: disable=wrong-import-position

serve.begin()


def make_flask():
    import flask
    app = flask.Flask("shop")
    app.add_url_rule("/", "root", lambda: serve.answer("/"))
    app.add_url_rule("/<path>", "kind", lambda path: serve.answer("/" + path))
    return app


def make_django():
    from django.conf import settings
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse
    from django.urls import re_path
    settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="none",
                       MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.http.ConditionalGetMiddleware"])
    globals()["urlpatterns"] = [re_path("", lambda request: HttpResponse(serve.answer(request.path)))]
    return get_wsgi_application()


def make_starlette():
    """Functions that are not asynchronous: the library runs them in threads."""
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route
    return Starlette(routes=[Route("/{path:path}", lambda request: PlainTextResponse(serve.answer(request.url.path)))])


def run_aiohttp():
    """Functions that are: they stop the loop."""
    from aiohttp import web

    async def view(request):
        return web.Response(text=serve.answer(request.path))
    app = web.Application()
    app.router.add_get("/{path:.*}", view)
    web.run_app(app, host="127.0.0.1", port=int(serve.PORT), access_log=None, print=None)


if serve.SHAPE == "aiohttp":
    run_aiohttp()
else:
    application = {"flask": make_flask, "django": make_django, "starlette": make_starlette}[serve.SHAPE]()
