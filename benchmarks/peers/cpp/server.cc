// The gRPC C++ server of the comparison: the callback API, tuned for throughput. On one core it was
// some 6 % faster than the asynchronous API with one completion queue and one thread.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include "address.h"
#include "permissions.grpc.pb.h"

using benchmark::v1::CheckRequest;
using benchmark::v1::CheckResponse;
using benchmark::v1::Permissions;

namespace {

class PermissionsService final : public Permissions::CallbackService {
  public:
    grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context,
                                    const CheckRequest* request,
                                    CheckResponse* response) override {
        if (!request->subject().empty()) {
            response->set_allowed(true);
            response->set_reason("ALLOWED");
        }
        if (request->subject() == "slow") return new SlowReactor();
        auto* reactor = context->DefaultReactor();
        reactor->Finish(grpc::Status::OK);
        return reactor;
    }

  private:
    // Finishes after 10 ms without holding a thread.
    class SlowReactor final : public grpc::ServerUnaryReactor {
      public:
        SlowReactor() {
            alarm_.Set(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                    gpr_time_from_millis(10, GPR_TIMESPAN)),
                       [this](bool) { Finish(grpc::Status::OK); });
        }

        void OnDone() override { delete this; }

      private:
        grpc::Alarm alarm_;
    };
};

}  // namespace

int main(int count, char** arguments) {
    std::string listen = "127.0.0.1:0";
    for (int i = 1; i < count; i++) {
        if (std::strcmp(arguments[i], "--listen") == 0 && i + 1 < count) {
            listen = arguments[++i];
        } else {
            std::fprintf(stderr, "usage: grpc-cpp-server [--listen ADDRESS]\n");
            return 2;
        }
    }

    // Before any thread exists, so that only the waiting thread gets the signals.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    PermissionsService service;
    grpc::ServerBuilder builder;
    builder.AddChannelArgument("grpc.optimization_target", "throughput");
    builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    int port = -1;
    builder.AddListeningPort(GRPCAddress(listen), grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service);
    auto server = builder.BuildAndStart();
    if (!server || port < 0) {
        std::fprintf(stderr, "grpc-cpp-server: cannot listen on %s\n", listen.c_str());
        return 1;
    }
    std::string shown = GRPCAddress(listen);
    if (shown.rfind("unix:", 0) == 0) {
        shown = shown.substr(5);
    } else {
        shown = shown.substr(0, shown.rfind(':')) + ":" + std::to_string(port);
    }
    std::printf("listening %s\n", shown.c_str());
    std::fflush(stdout);

    int signal = 0;
    sigwait(&signals, &signal);
    // Calls in flight are of no interest to a benchmark.
    std::_Exit(0);
}
