// SPDX-License-Identifier: GPL-2.0-only
/* A web server on the C++ REST SDK: a pool of threads over Asio. */
#include <cpprest/http_listener.h>
#include <unistd.h>

#include "kinds.h"

using web::http::experimental::listener::http_listener;

int main(int argc, char **argv)
{
	const uint16_t port = kinds_begin(argc, argv);

	http_listener listener(web::http::uri("http://127.0.0.1:" + std::to_string(port) + "/"));
	listener.support([](web::http::http_request request) {
		const std::string path = request.relative_uri().path();

		request.reply(web::http::status_codes::OK, std::to_string(kinds_run(path.c_str() + 1)) + "\n");
	});
	listener.open().wait();
	for (;;)
		pause();
}
