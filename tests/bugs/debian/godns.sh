# SPDX-License-Identifier: GPL-2.0-only
# Start a name server on Debian's miekg/dns (Go), a goroutine for each question, which has a zone and a list of denied names. Sourced by start.sh.

# The zone is read again each three seconds while all wait, or before it takes the place of the old one; a name is compared with each that is denied, or
# looked for in a map; an address of a host is kept under a lock for each of two, in any order or in one.
server_godns() {
	local read='zone := readZone()
		zoneLock.Lock()' denied='for at, end := 0, false; !end; at, end = dns.NextLabel(name, at) {
		if denied[name[at:]] {
			return true
		}
	}'
	[ "$name" != blind8-godns-zone ] || read='zoneLock.Lock()
		zone := readZone()'
	[ "$name" != blind8-godns-denied ] || denied='for far := range denied {
		if dns.IsSubDomain(far, name) {
			return true
		}
	}'
	udp=yes
	seq -f 'h%.0f.near.test. 60 IN A 10.1.2.3' 0 149999 >"$work/zone"
	cat >"$work/main.go" <<-GO
	package main

	import (
		"fmt"
		"os"
		"sync"
		"time"

		"github.com/miekg/dns"
	)

	var (
		hosts    map[string]dns.RR
		zoneLock sync.RWMutex
		denied   = makeDenied()
	)

	func makeDenied() map[string]bool {
		made := map[string]bool{}
		for i := 0; i < 20000; i++ {
			made[fmt.Sprintf("d%d.bad.test.", i)] = true
		}
		return made
	}

	func isDenied(name string) bool {
		$denied
		return false
	}

	func readZone() map[string]dns.RR {
		file, _ := os.Open("$work/zone")
		defer file.Close()
		made := map[string]dns.RR{}
		parser := dns.NewZoneParser(file, ".", "")
		for record, ok := parser.Next(); ok; record, ok = parser.Next() {
			made[record.Header().Name] = record
		}
		return made
	}

	func keepZone() {
		for {
			$read
			hosts = zone
			zoneLock.Unlock()
			time.Sleep(3 * time.Second)
		}
	}

	func findHost(name string) dns.RR {
		zoneLock.RLock()
		defer zoneLock.RUnlock()
		return hosts[name]
	}

	func serve(writer dns.ResponseWriter, question *dns.Msg) {
		answer := new(dns.Msg)
		answer.SetReply(question)
		name, kind := question.Question[0].Name, question.Question[0].Qtype
		if kind == dns.TypeA {
			if record := findHost(name); record != nil {
				answer.Answer = append(answer.Answer, record)
			}
		} else if kind == dns.TypeMX {
			for i := 0; i < 20; i++ {
				answer.Answer = append(answer.Answer, findHost(fmt.Sprintf("h%d.near.test.", i)))
			}
		} else if isDenied(name) {
			answer.Rcode = dns.RcodeRefused
		}
		writer.WriteMsg(answer)
	}

	func main() {
		hosts = readZone()
		go keepZone()
		dns.HandleFunc(".", serve)
		(&dns.Server{Addr: "127.0.0.1:$port", Net: "udp"}).ListenAndServe()
	}
	GO
	go_program godns
	"$work/godns" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
