// SPDX-License-Identifier: GPL-2.0-only

// A web server in C++, of which each path but / is a bug of its own: see languages.py. One thread polls; four run tasks of a queue.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <cstring>
#include <functional>
#include <future>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <regex>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#define KIND __attribute__((noinline))

using namespace std::chrono_literals;

namespace shop {

std::string peer, folder, words;
std::mutex ledger;
std::shared_mutex catalog;
std::atomic<bool> flag{false};
std::list<int> visits;
std::vector<std::regex> rules;
std::condition_variable given;

template <class Item> class Queue {
public:
	void give(Item item)
	{
		{
			std::lock_guard<std::mutex> held(lock);
			items.push_back(std::move(item));
		}
		filled.notify_one();
	}

	Item take()
	{
		std::unique_lock<std::mutex> held(lock);
		filled.wait(held, [this] { return !items.empty(); });
		Item item = std::move(items.front());
		items.pop_front();
		return item;
	}

private:
	std::mutex lock;
	std::condition_variable filled;
	std::deque<Item> items;
};

Queue<std::function<void()>> tasks;
Queue<std::promise<int>> orders;

KIND long usual()
{
	std::lock_guard<std::mutex> held(ledger);
	volatile long sum = 0;
	for (long i = 0; i < 20000; i++)
		sum = sum + i * i;
	return sum;
}

KIND long countWords()
{
	std::map<std::string, int> seen;
	std::istringstream all(words);
	for (std::string word; all >> word;)
		seen[word]++;
	return (long)seen.size();
}

KIND long matchRules()
{
	long n = 0;
	for (const auto &rule : rules)
		n += std::regex_search(words.begin(), words.begin() + 3000, rule);
	return n;
}

struct Row {
	int id;
	std::string name;
	std::vector<double> prices;
};

KIND long packReport()
{
	std::vector<Row> rows;
	for (int i = 0; i < 6000; i++)
		rows.push_back({i, "row " + std::to_string(i), std::vector<double>(8, i)});
	std::vector<Row> copy = rows;
	return (long)copy.size();
}

KIND long sortPrices()
{
	std::vector<Row> rows(9000);
	for (size_t i = 0; i < rows.size(); i++)
		rows[i] = {(int)(i * 7919 % 40009), std::to_string(i), {}};
	std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) { return a.name < b.name; });
	return rows[0].id;
}

// Holds the lock while it sleeps; others wait for it.
KIND long writeLedger()
{
	std::lock_guard<std::mutex> held(ledger);
	std::this_thread::sleep_for(20ms);
	return 0;
}

KIND long takeNap()
{
	std::this_thread::sleep_for(20ms);
	return 0;
}

KIND long readPages()
{
	long n = 0;
	for (int i = 0; i < 300; i++) {
		std::ifstream file("/etc/passwd");
		std::stringstream text;
		text << file.rdbuf();
		n += (long)text.str().size();
	}
	return n;
}

KIND long runHook()
{
	return system("sleep 0.02");
}

KIND long ask(const char *what)
{
	sockaddr_in at{};
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	const auto colon = peer.find(':');
	char answer[10];

	at.sin_family = AF_INET;
	at.sin_port = htons((uint16_t)stoi(peer.substr(colon + 1)));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	long n = -1;
	if (!connect(fd, (sockaddr *)&at, sizeof(at)) && write(fd, what, strlen(what)) > 0)
		n = read(fd, answer, sizeof(answer));
	close(fd);
	return n;
}

KIND long askPeer()
{
	return ask("slow\n");
}

KIND long makeCopies()
{
	long n = 0;
	for (int i = 0; i < 300; i++) {
		std::string copy = words;
		std::transform(copy.begin(), copy.end(), copy.begin(), [](unsigned char c) { return (char)std::toupper(c); });
		n += copy[i];
	}
	return n;
}

KIND long saveNote()
{
	const int fd = open((folder + "/note").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
	for (int i = 0; i < 20; i++)
		if (write(fd, "note\n", 5) < 0 || fsync(fd))
			break;
	close(fd);
	return 0;
}

KIND long askPacker()
{
	std::promise<int> order;
	auto answer = order.get_future();
	orders.give(std::move(order));
	return answer.get();
}

KIND void packOrders()
{
	for (;;) {
		auto order = orders.take();
		std::this_thread::sleep_for(20ms);
		order.set_value(1);
	}
}

KIND long hashPart(int part)
{
	std::unordered_map<std::string, int> seen;
	for (int i = 0; i < 12000; i++)
		seen["part " + std::to_string(i % 777)] += part;
	return (long)seen.size();
}

KIND long hashParts()
{
	std::vector<std::future<long>> parts;
	for (int i = 0; i < 4; i++)
		parts.push_back(std::async(std::launch::async, hashPart, i));
	return std::accumulate(parts.begin(), parts.end(), 0L, [](long sum, auto &part) { return sum + part.get(); });
}

KIND long findVisit()
{
	std::lock_guard<std::mutex> held(ledger);
	for (int i = 0; i < 100; i++)
		visits.push_back(i);
	return std::find(visits.begin(), visits.end(), -1) == visits.end();
}

KIND long readJournal()
{
	std::lock_guard<std::mutex> held(ledger);
	{
		std::ofstream out(folder + "/journal", std::ios::app);
		for (int i = 0; i < 20; i++)
			out << "a visit\n";
	}
	std::ifstream in(folder + "/journal");
	long n = 0;
	for (std::string line; std::getline(in, line);)
		n++;
	return n;
}

KIND long raiseErrors()
{
	long n = 0;
	for (int i = 0; i < 2500; i++) {
		try {
			throw std::runtime_error("no order " + std::to_string(i));
		} catch (const std::exception &error) {
			n += error.what()[0];
		}
	}
	return n;
}

KIND long formatRows()
{
	std::ostringstream out;
	for (int i = 0; i < 12000; i++)
		out << "row " << i << " costs " << i * 1.5 << std::endl;
	return (long)out.str().size();
}

KIND long readCatalog()
{
	std::unique_lock<std::shared_mutex> held(catalog);
	std::this_thread::sleep_for(20ms);
	return 0;
}

KIND long takeLock()
{
	std::mutex lock;
	lock.lock();
	lock.lock();
	return 0;
}

KIND long takeShared()
{
	std::shared_mutex lock;
	lock.lock_shared();
	lock.lock();
	return 0;
}

KIND long waitAnswer()
{
	std::promise<int> never;
	return never.get_future().get();
}

KIND long waitGroup()
{
	std::mutex lock;
	std::unique_lock<std::mutex> held(lock);
	given.wait(held, [] { return flag.load(); });
	return 0;
}

KIND long waitChild()
{
	return system("sleep 1000");
}

KIND long readPeer()
{
	return ask("never\n");
}

KIND long spinOn()
{
	while (!flag.load(std::memory_order_relaxed))
		;
	return 0;
}

KIND long awaitFlag()
{
	while (!flag)
		std::this_thread::sleep_for(20ms);
	return 0;
}

KIND long readFifo()
{
	const std::string name = folder + "/fifo";
	mkfifo(name.c_str(), 0600);
	std::ifstream file(name);
	return file.good();
}

const std::map<std::string, std::function<long()>> kinds = {
	{"countWords", countWords}, {"matchRules", matchRules}, {"packReport", packReport}, {"sortPrices", sortPrices},
	{"writeLedger", writeLedger}, {"takeNap", takeNap}, {"readPages", readPages}, {"runHook", runHook}, {"askPeer", askPeer},
	{"makeCopies", makeCopies}, {"saveNote", saveNote}, {"askPacker", askPacker}, {"hashParts", hashParts}, {"findVisit", findVisit},
	{"readJournal", readJournal}, {"raiseErrors", raiseErrors}, {"formatRows", formatRows}, {"readCatalog", readCatalog},
	{"takeLock", takeLock}, {"takeShared", takeShared}, {"waitAnswer", waitAnswer}, {"waitGroup", waitGroup}, {"waitChild", waitChild},
	{"readPeer", readPeer}, {"spinOn", spinOn}, {"awaitFlag", awaitFlag}, {"readFifo", readFifo},
};

struct Client {
	int fd, poller;

	// Reads a request, answers it, and lets the poller wait for the next one.
	void serve()
	{
		char text[4096];
		const ssize_t bytes = read(fd, text, sizeof(text));
		if (bytes <= 5) {
			close(fd);
			delete this;
			return;
		}
		const std::string path(text + 5, std::find(text + 5, text + bytes, ' '));
		long n = usual();
		{
			std::shared_lock<std::shared_mutex> held(catalog);
			n++;
		}
		const auto kind = kinds.find(path);
		if (kind != kinds.end())
			n += kind->second();
		const std::string body = std::to_string(n) + "\n";
		const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
		epoll_event again{EPOLLIN | EPOLLONESHOT, {this}};
		if (write(fd, answer.data(), answer.size()) < 0 || epoll_ctl(poller, EPOLL_CTL_MOD, fd, &again))
			close(fd);
	}
};

} // namespace shop

int main(int, char **argv)
{
	using namespace shop;
	const int listener = socket(AF_INET, SOCK_STREAM, 0), poller = epoll_create1(0), on = 1;
	sockaddr_in at{};
	epoll_event event{EPOLLIN, {nullptr}};

	peer = argv[2];
	folder = argv[3];
	for (int i = 0; i < 3000; i++)
		words += "the quick brown fox jumps over the lazy dog ";
	for (int i = 0; i < 12; i++)
		rules.emplace_back("(a|b)*" + std::to_string(i) + "$");
	at.sin_family = AF_INET;
	at.sin_port = htons((uint16_t)std::stoi(argv[1]));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (sockaddr *)&at, sizeof(at)) || listen(listener, 64))
		return 1;
	epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
	std::thread(packOrders).detach();
	for (int i = 0; i < 4; i++)
		std::thread([] {
			for (;;)
				tasks.take()();
		}).detach();
	for (;;) {
		epoll_event events[16];
		const int ready = epoll_wait(poller, events, 16, -1);
		for (int i = 0; i < ready; i++) {
			if (events[i].data.ptr) {
				Client *client = (Client *)events[i].data.ptr;
				tasks.give([client] { client->serve(); });
				continue;
			}
			const int fd = accept(listener, nullptr, nullptr);
			if (fd < 0)
				continue;
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
			epoll_event first{EPOLLIN | EPOLLONESHOT, {new Client{fd, poller}}};
			epoll_ctl(poller, EPOLL_CTL_ADD, fd, &first);
		}
	}
}
