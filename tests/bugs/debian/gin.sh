# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's Gin (Go), a goroutine for each connection. Sourced by start.sh.

# Templates are parsed for each page in the mode for debugging, or once; who lists parts takes the lock for readers once more, or has it.
server_gin() {
	local mode=gin.ReleaseMode again='len(parts)' i
	[ "$name" != blind9-gin-templates ] || mode=gin.DebugMode
	[ "$name" != blind9-gin-parts ] || again='countParts()'
	pick rate_of 300 450
	mkdir "$work/pages"
	for i in {1..40}; do
		printf '{{define "part%d"}}<p>{{if .What}}part {{.What}} %d{{else}}none{{end}}</p>{{range .Parts}}<i>{{.}}</i>{{end}}{{end}}\n' "$i" "$i" >"$work/pages/part$i.html"
	done
	echo '<html><body>{{template "part1" .}}{{template "part40" .}}</body></html>' >"$work/pages/catalogue.html"
	cat >"$work/main.go" <<-GO
	package main

	import (
		"crypto/sha256"
		"fmt"
		"io"
		"net/http"
		"sync"
		"time"

		"github.com/gin-gonic/gin"
	)

	var (
		parts     = map[string]int{"a": 1}
		partsLock sync.RWMutex
	)

	func countParts() int {
		partsLock.RLock()
		defer partsLock.RUnlock()
		return len(parts)
	}

	func listParts(what string) string {
		partsLock.RLock()
		defer partsLock.RUnlock()
		time.Sleep(100 * time.Millisecond)
		return fmt.Sprint(what, " of ", $again)
	}

	func setPart(what string) string {
		partsLock.Lock()
		defer partsLock.Unlock()
		parts[what] = len(what)
		return "set"
	}

	func digest(text string) string {
		kept := sha256.Sum256([]byte(text))
		for i := 0; i < 2000; i++ {
			kept = sha256.Sum256(kept[:])
		}
		return fmt.Sprintf("%x", kept)
	}

	func showCatalogue(c *gin.Context) {
		c.HTML(http.StatusOK, "catalogue.html", gin.H{"What": c.Param("what"), "Parts": []int{1, 2, 3}})
	}

	func main() {
		gin.SetMode($mode)
		gin.DefaultWriter = io.Discard
		server := gin.New()
		server.LoadHTMLGlob("$work/pages/*.html")
		server.GET("/catalogue/:what", showCatalogue)
		server.GET("/list/:what", func(c *gin.Context) { c.String(http.StatusOK, listParts(c.Param("what"))) })
		server.GET("/set/:what", func(c *gin.Context) { c.String(http.StatusOK, setPart(c.Param("what"))) })
		server.GET("/digest/:what", func(c *gin.Context) { c.String(http.StatusOK, digest(c.Param("what"))) })
		server.GET("/page/:what", func(c *gin.Context) { c.String(http.StatusOK, "page "+c.Param("what")) })
		if err := server.Run("127.0.0.1:$port"); err != nil {
			panic(err)
		}
	}
	GO
	go_program shop
	"$work/shop" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
