# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Gunicorn (Python) with threads, and a Flask application that keeps a log. Sourced by start.sh.

# A log that is full is compressed, by who wrote its last line, and the others wait; or it is put aside as it is.
server_gunicorn() {
	local aside=os.rename
	[ "$name" != blind6-gunicorn-rotate ] || aside=compress_log
	cat >"$work/shop.py" <<-PY
	import gzip
	import hashlib
	import logging.handlers
	import os
	import shutil
	from flask import Flask, request

	app = Flask("shop")


	def compress_log(source, to):
	    with open(source, "rb") as log, gzip.open(to, "wb") as kept:
	        shutil.copyfileobj(log, kept)
	    os.remove(source)


	kept = logging.handlers.RotatingFileHandler("$work/shop.log", maxBytes=6000000, backupCount=2)
	kept.rotator = $aside
	log = logging.getLogger("shop")
	log.setLevel(logging.INFO)
	log.addHandler(kept)


	@app.route("/page/<int:number>")
	def page(number):
	    log.info("page %d %s", number, os.urandom(4000).hex())
	    return "page %d" % number


	@app.route("/digest/<int:number>")
	def digest(number):
	    log.info("digest %d %s", number, os.urandom(4000).hex())
	    return hashlib.pbkdf2_hmac("sha256", b"%d" % number, b"salt", 3000).hex()
	PY
	"$program" /usr/bin/gunicorn --chdir "$work" -b "127.0.0.1:$port" -k gthread --threads 8 --keep-alive 60 --worker-tmp-dir /dev/shm shop:app \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
