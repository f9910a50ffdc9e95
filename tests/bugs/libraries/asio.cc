// SPDX-License-Identifier: GPL-2.0-only
// A web server on Boost.Asio: a coroutine of C++20 for each connection, and two threads that run them.
#include <cstring>
#include <thread>
#include <utility>

#include <boost/asio.hpp>

#include "kinds.h"

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

// Asks the peer, and lets other coroutines run until it answers, after 20 ms.
KIND asio::awaitable<long> ask_later()
{
	tcp::socket peer(co_await asio::this_coro::executor);
	char answer[16];

	co_await peer.async_connect({asio::ip::address_v4::loopback(), kinds_peer()}, asio::use_awaitable);
	co_await asio::async_write(peer, asio::buffer("slow\n", 5), asio::use_awaitable);
	co_return (long)co_await peer.async_read_some(asio::buffer(answer), asio::use_awaitable);
}

asio::awaitable<void> serve_client(tcp::socket client)
{
	char request[1024], answer[ANSWER_MAX], path[32];

	try {
		for (;;) {
			const size_t bytes = co_await client.async_read_some(asio::buffer(request), asio::use_awaitable);
			kinds_path(request, bytes, path);
			const long n = strcmp(path, "ask_later") ? 0 : co_await ask_later();
			const size_t answers = kinds_print(n + kinds_run(path), answer);
			co_await asio::async_write(client, asio::buffer(answer, answers), asio::use_awaitable);
		}
	} catch (const boost::system::system_error &) {
	}
}

asio::awaitable<void> accept_clients(uint16_t port)
{
	const auto executor = co_await asio::this_coro::executor;
	tcp::acceptor listener(executor, {asio::ip::address_v4::loopback(), port});

	for (;;) {
		tcp::socket client = co_await listener.async_accept(asio::use_awaitable);
		client.set_option(tcp::no_delay(true));
		asio::co_spawn(executor, serve_client(std::move(client)), asio::detached);
	}
}

} // namespace

int main(int argc, char **argv)
{
	const uint16_t port = kinds_begin(argc, argv);
	asio::io_context loop;

	asio::co_spawn(loop, accept_clients(port), asio::detached);
	std::thread second([&loop] { loop.run(); });
	loop.run();
	second.join();
}
