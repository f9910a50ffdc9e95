# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's Bottle and gevent (Python), one loop of green threads. Sourced by start.sh.

# All visits are written down each three seconds by the loop, or few; words are found among all that were said, one by one, or by a set.
server_gevent() {
	local visits=100 known='known_set'
	[ "$name" != blind9-gevent-backup ] || visits=160000
	[ "$name" != blind9-gevent-words ] || known='known_list'
	cat >"$work/shop.py" <<-PY
	from gevent import monkey, spawn, sleep
	monkey.patch_all()
	import hashlib
	import pickle
	from bottle import Bottle
	from gevent.pywsgi import WSGIServer

	shop = Bottle()
	visits = [{"who": "ann%d" % i, "when": i, "what": ["page", i]} for i in range($visits)]
	known_list = ["word%d" % i for i in range(6000)]
	known_set = set(known_list)


	def keep_visits():
	    with open("$work/visits", "wb") as file:
	        pickle.dump(sorted(visits, key=lambda visit: str(visit["what"])), file)


	def keep_often():
	    while True:
	        sleep(3)
	        keep_visits()


	def is_known(word, known):
	    return word in known


	def count_words(text):
	    return sum(is_known(word, $known) for word in text.split("-"))


	@shop.get("/words/<what>")
	def words(what):
	    return "words %d" % count_words("-".join("word%d" % (5000 + (int(what) + i) % 1000) for i in range(100)))


	@shop.get("/digest/<what>")
	def digest(what):
	    return hashlib.pbkdf2_hmac("sha256", what.encode(), b"salt", 2000).hex()


	@shop.get("/page/<what>")
	def page(what):
	    return "page " + what


	spawn(keep_often)
	WSGIServer(("127.0.0.1", $port), shop, log=None).serve_forever()
	PY
	"$program" "$work/shop.py" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
