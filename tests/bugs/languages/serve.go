// SPDX-License-Identifier: GPL-2.0-only

// A web server in Go, of which each path but / is a bug of its own: see languages.py.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

var (
	ledger  sync.Mutex
	orders  = make(chan chan byte)
	tickets = make(chan struct{}, 1)
	rules   []*regexp.Regexp
	peer    = os.Args[2]
	flag    bool
	visits  []int
	prices  = map[string]int{}
	catalog sync.RWMutex
	words   = strings.Repeat("the quick brown fox jumps over the lazy dog ", 3000)
)

func usual() int {
	ledger.Lock()
	defer ledger.Unlock()
	sum := 0
	for i := 0; i < 20000; i++ {
		sum += i * i
	}
	return sum
}

func countWords() int {
	n := 0
	for round := 0; round < 40; round++ {
		for i := range words {
			if words[i] == ' ' {
				n++
			}
		}
	}
	return n
}

func matchRules() int {
	n := 0
	for _, rule := range rules {
		if rule.MatchString(words[:4000]) {
			n++
		}
	}
	return n
}

func packReport() int {
	rows := []map[string]int{}
	for i := 0; i < 3000; i++ {
		rows = append(rows, map[string]int{"a": i, "b": i * 2, "c": i * 3})
	}
	text, _ := json.Marshal(rows)
	return len(text)
}

func sortPrices() int {
	list := make([]int, 40000)
	for i := range list {
		list[i] = i * 7919 % 40009
	}
	sort.Slice(list, func(a, b int) bool { return list[a] < list[b] })
	return list[0]
}

// Holds the lock while it sleeps; others wait for it.
func writeLedger() int {
	ledger.Lock()
	defer ledger.Unlock()
	time.Sleep(20 * time.Millisecond)
	return 0
}

func takeNap() int {
	time.Sleep(20 * time.Millisecond)
	return 0
}

func readPages() int {
	n := 0
	for i := 0; i < 400; i++ {
		page, _ := os.ReadFile("/etc/passwd")
		n += len(page)
	}
	return n
}

func runHook() int {
	exec.Command("sleep", "0.02").Run()
	return 0
}

func askPeer() int {
	c, err := net.Dial("tcp", peer)
	if err != nil {
		return 0
	}
	defer c.Close()
	c.Write([]byte("slow\n"))
	c.Read(make([]byte, 10))
	return 0
}

func makeCopies() int {
	n := 0
	for i := 0; i < 60; i++ {
		n += len(strings.ToUpper(words))
	}
	return n
}

func saveNote() int {
	file, _ := os.Create(os.Args[3] + "/note")
	defer file.Close()
	for i := 0; i < 20; i++ {
		file.WriteString("note\n")
		file.Sync()
	}
	return 0
}

func askPacker() int {
	answer := make(chan byte)
	orders <- answer
	<-answer
	return 0
}

func packOrders() {
	for answer := range orders {
		time.Sleep(20 * time.Millisecond)
		answer <- 'x'
	}
}

func parseOrders() int {
	text := "[" + strings.Repeat(`{"name":"a book","price":12,"tags":["x","y"]},`, 6000) + "{}]"
	var list []map[string]interface{}
	json.Unmarshal([]byte(text), &list)
	return len(list)
}

func packFiles() int {
	var out bytes.Buffer
	packer, _ := gzip.NewWriterLevel(&out, 9)
	packer.Write([]byte(strings.Repeat(words, 16)))
	packer.Close()
	return out.Len()
}

func formatRows() int {
	n := 0
	for i := 0; i < 40000; i++ {
		n += len(fmt.Sprintf("%8d %-10s %v", i, "row", 1.5))
	}
	return n
}

// Holds the lock while it writes; others wait for it.
func writeBook() int {
	ledger.Lock()
	defer ledger.Unlock()
	file, _ := os.Create(os.Args[3] + "/book")
	defer file.Close()
	for i := 0; i < 20; i++ {
		file.WriteString("page\n")
		file.Sync()
	}
	return 0
}

func statPaths() int {
	n := 0
	for i := 0; i < 6000; i++ {
		if _, err := os.Stat("/usr/share/none"); err == nil {
			n++
		}
	}
	return n
}

func pollAnswer() int {
	answer := make(chan int)
	time.AfterFunc(20*time.Millisecond, func() { answer <- 1 })
	for {
		select {
		case n := <-answer:
			return n
		default:
		}
	}
}

func sweepHeap() int {
	for i := 0; i < 8; i++ {
		runtime.GC()
	}
	return 0
}

type node struct{ left, right *node }

func makeTree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{makeTree(depth - 1), makeTree(depth - 1)}
}

func makeGarbage() int {
	if makeTree(16).left == nil {
		return 0
	}
	return 1
}

// As many at once as there are tickets, of which a goroutine that sleeps has one for each request.
func takeTicket() int {
	tickets <- struct{}{}
	go dropTicket()
	tickets <- struct{}{}
	<-tickets
	return 0
}

func dropTicket() {
	time.Sleep(20 * time.Millisecond)
	<-tickets
}

func findVisit() int {
	ledger.Lock()
	defer ledger.Unlock()
	for i := 0; i < 400; i++ {
		visits = append(visits, i)
	}
	for at, visit := range visits {
		if visit < 0 {
			return at
		}
	}
	return -1
}

func readJournal() int {
	ledger.Lock()
	defer ledger.Unlock()
	journal, err := os.OpenFile(os.Args[3]+"/journal", os.O_CREATE|os.O_RDWR|os.O_APPEND, 0600)
	if err != nil {
		return 0
	}
	defer journal.Close()
	journal.WriteString(strings.Repeat("a visit\n", 20))
	journal.Seek(0, 0)
	lines := 0
	for scanner := bufio.NewScanner(journal); scanner.Scan(); {
		lines++
	}
	return lines
}

func hashParts() int {
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() {
			hashPart()
			all.Done()
		}()
	}
	all.Wait()
	return 0
}

func hashPart() {
	for i := 0; i < 40; i++ {
		sha256.Sum256([]byte(words))
	}
}

func takeLock() int {
	var lock sync.Mutex
	lock.Lock()
	lock.Lock()
	return 0
}

func takeShared() int {
	var lock sync.RWMutex
	lock.Lock()
	lock.RLock()
	return 0
}

func waitAnswer() int {
	<-make(chan int)
	return 0
}

func waitAny() int {
	select {
	case <-make(chan int):
	case <-make(chan string):
	}
	return 0
}

func waitGroup() int {
	var all sync.WaitGroup
	all.Add(1)
	all.Wait()
	return 0
}

func sendOrder() int {
	make(chan int) <- 1
	return 0
}

func waitChild() int {
	exec.Command("sleep", "1000").Run()
	return 0
}

func readPeer() int {
	c, err := net.Dial("tcp", peer)
	if err == nil {
		c.Write([]byte("never\n"))
		c.Read(make([]byte, 10))
	}
	return 0
}

func spinOn() int {
	for !flag {
	}
	return 0
}

func awaitFlag() int {
	for !flag {
		time.Sleep(20 * time.Millisecond)
	}
	return 0
}

func readFifo() int {
	name := os.Args[3] + "/fifo"
	syscall.Mkfifo(name, 0o600)
	file, err := os.Open(name)
	if err == nil {
		file.Close()
	}
	return 0
}

var kinds = map[string]func() int{
	"countWords": countWords, "matchRules": matchRules, "packReport": packReport, "sortPrices": sortPrices, "writeLedger": writeLedger,
	"takeNap": takeNap, "readPages": readPages, "runHook": runHook, "askPeer": askPeer, "makeCopies": makeCopies, "saveNote": saveNote,
	"askPacker": askPacker, "hashParts": hashParts, "parseOrders": parseOrders, "packFiles": packFiles, "formatRows": formatRows,
	"writeBook": writeBook, "statPaths": statPaths, "pollAnswer": pollAnswer, "sweepHeap": sweepHeap, "makeGarbage": makeGarbage,
	"takeTicket": takeTicket, "findVisit": findVisit, "readJournal": readJournal,
	"takeLock": takeLock, "takeShared": takeShared, "waitAnswer": waitAnswer, "waitAny": waitAny, "waitGroup": waitGroup, "sendOrder": sendOrder,
	"waitChild": waitChild, "readPeer": readPeer, "spinOn": spinOn, "awaitFlag": awaitFlag, "readFifo": readFifo,
}

func answer(w http.ResponseWriter, r *http.Request) {
	n := usual()
	if work := kinds[r.URL.Path[1:]]; work != nil {
		n += work()
	}
	fmt.Fprintf(w, "%d\n", n)
}

func main() {
	for i := 0; i < 60; i++ {
		rules = append(rules, regexp.MustCompile(fmt.Sprintf("(a|b)*%d$", i)))
	}
	go packOrders()
	http.HandleFunc("/", answer)
	http.ListenAndServe("127.0.0.1:"+os.Args[1], nil)
}
