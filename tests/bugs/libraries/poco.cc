// SPDX-License-Identifier: GPL-2.0-only
/* A web server on POCO: a thread of a pool for each connection. */
#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/ThreadPool.h>
#include <unistd.h>

#include "kinds.h"

namespace {

class Handler : public Poco::Net::HTTPRequestHandler {
	void handleRequest(Poco::Net::HTTPServerRequest &request, Poco::Net::HTTPServerResponse &response) override
	{
		const std::string body = std::to_string(kinds_run(request.getURI().c_str() + 1)) + "\n";

		response.sendBuffer(body.data(), body.size());
	}
};

class Factory : public Poco::Net::HTTPRequestHandlerFactory {
	Poco::Net::HTTPRequestHandler *createRequestHandler(const Poco::Net::HTTPServerRequest &) override
	{
		return new Handler;
	}
};

} // namespace

int main(int argc, char **argv)
{
	const uint16_t port = kinds_begin(argc, argv);
	Poco::ThreadPool pool(2, 16);
	Poco::Net::HTTPServerParams::Ptr params = new Poco::Net::HTTPServerParams;

	params->setMaxThreads(16);
	params->setMaxKeepAliveRequests(0);
	Poco::Net::HTTPServer server(new Factory, pool, Poco::Net::ServerSocket(port), params);
	server.start();
	for (;;)
		pause();
}
