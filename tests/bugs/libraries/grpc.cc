// SPDX-License-Identifier: GPL-2.0-only
/* A server on gRPC, by its synchronous API's own way: threads that take calls from completion queues. */
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <string>
#include <thread>
#include <vector>

#include "kinds.h"

namespace {

constexpr int THREADS = 4;

/* One call: it is asked for, read, and answered; its queue has it as tag of each step. */
struct Call {
	grpc::GenericServerContext context;
	grpc::GenericServerAsyncReaderWriter stream{ &context };
	grpc::ByteBuffer request;
	enum { ASKED, READ, ANSWERED } step = ASKED;
};

void serve(grpc::AsyncGenericService *service, grpc::ServerCompletionQueue *queue)
{
	const auto ask = [&] {
		Call *call = new Call;

		service->RequestCall(&call->context, &call->stream, queue, queue, call);
	};
	void *tag;
	bool ok;

	ask();
	while (queue->Next(&tag, &ok)) {
		Call *call = static_cast<Call *>(tag);

		if (!ok || call->step == Call::ANSWERED) {
			delete call;
		} else if (call->step == Call::ASKED) {
			ask();
			call->step = Call::READ;
			call->stream.Read(&call->request, call);
		} else {
			const grpc::Slice body(std::to_string(kinds_run(call->context.method().c_str() + 3)));

			call->step = Call::ANSWERED;
			call->stream.WriteAndFinish(grpc::ByteBuffer(&body, 1), grpc::WriteOptions(), grpc::Status::OK, call);
		}
	}
}

} // namespace

int main(int argc, char **argv)
{
	const uint16_t port = kinds_begin(argc, argv);
	std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> queues;
	std::vector<std::thread> threads;
	grpc::AsyncGenericService service;
	grpc::ServerBuilder builder;

	builder.AddListeningPort("127.0.0.1:" + std::to_string(port), grpc::InsecureServerCredentials());
	builder.RegisterAsyncGenericService(&service);
	for (int i = 0; i < THREADS; i++)
		queues.push_back(builder.AddCompletionQueue());
	const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
	if (!server)
		return 1;
	for (const auto &queue : queues)
		threads.emplace_back(serve, &service, queue.get());
	for (std::thread &thread : threads)
		thread.join();
}
