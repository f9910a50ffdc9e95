# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's fasthttp (Go), a goroutine for each connection, which asks a name server. Sourced by start.sh.

# A pattern is compiled for each request, or once; a price is looked up under the lock of all, or before; a report takes a slot for each part, or has none
# while it waits for them.
server_fasthttp() {
	local late=1 compile='onlyPattern' look='found := lookUp(item)
	pricesLock.Lock()
	defer pricesLock.Unlock()' release='releaseSlot()
	count := countPart(name)
	takeSlot()'
	[ "$name" != blind8-fasthttp-pattern ] || compile='regexp.MustCompile(strings.Join(words, "|"))'
	[ "$name" != blind8-fasthttp-prices ] || late=15 look='pricesLock.Lock()
	defer pricesLock.Unlock()
	found := lookUp(item)'
	[ "$name" != blind8-fasthttp-report ] || release='count := countPart(name)'
	name_server "$late"
	cat >"$work/main.go" <<-GO
	package main

	import (
		"context"
		"crypto/sha256"
		"fmt"
		"net"
		"regexp"
		"strings"
		"sync"
		"time"

		"github.com/valyala/fasthttp"
	)

	var (
		words       = makeWords()
		onlyPattern = regexp.MustCompile(strings.Join(words, "|"))
		prices      = map[string]int{}
		pricesLock  sync.RWMutex
		slots       = make(chan bool, 2)
	)

	func makeWords() []string {
		made := []string{}
		for i := 0; i < 600; i++ {
			made = append(made, fmt.Sprintf("part[%d-%d]+x%dy?", i%5, 5+i%4, i*7919%1009))
		}
		return made
	}

	func matchWords(text string) string {
		return fmt.Sprint(len($compile.FindString(text)))
	}

	func lookUp(item string) int {
		found, _ := net.DefaultResolver.LookupHost(context.Background(), item)
		return len(found)
	}

	func freshPrice(item string) string {
		$look
		prices[item[:2]] = found
		return "price"
	}

	func knownPrice(item string) string {
		pricesLock.RLock()
		defer pricesLock.RUnlock()
		return fmt.Sprint("price ", prices[item])
	}

	func takeSlot()    { slots <- true }
	func releaseSlot() { <-slots }

	func countPart(name string) int {
		takeSlot()
		defer releaseSlot()
		return len(name)
	}

	func makeReport(name string) string {
		takeSlot()
		defer releaseSlot()
		time.Sleep(50 * time.Millisecond)
		$release
		return fmt.Sprint("report of ", count)
	}

	func digest(text string) string {
		kept := sha256.Sum256([]byte(text))
		for i := 0; i < 2000; i++ {
			kept = sha256.Sum256(kept[:])
		}
		return fmt.Sprintf("%x", kept)
	}

	func answer(kind, rest string) string {
		switch kind {
		case "match":
			return matchWords(rest)
		case "fresh":
			return freshPrice(rest)
		case "report":
			return makeReport(rest)
		case "digest":
			return digest(rest)
		}
		return knownPrice(rest)
	}

	func handle(ctx *fasthttp.RequestCtx) {
		parts := strings.SplitN(string(ctx.Path()), "/", 3)
		ctx.SetBodyString(answer(parts[1], parts[2]))
	}

	func main() {
		fasthttp.ListenAndServe("127.0.0.1:$port", handle)
	}
	GO
	go_program fasthttp
	"${with_names[@]}" "$work/fasthttp" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
