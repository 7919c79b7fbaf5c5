// The gRPC C++ server of the comparison: the asynchronous API with one completion queue and one
// thread, which is the fastest documented form for one core (no hand-over between threads).
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include "address.h"
#include "permissions.grpc.pb.h"

using benchmark::v1::CheckRequest;
using benchmark::v1::CheckResponse;
using benchmark::v1::Permissions;

namespace {

// Calls that wait for a request at the same time; more than the largest load in flight, so that no
// request waits for its turn to be accepted.
constexpr int kWaitingCalls = 1024;

// One call after the other, each with fresh per-call state.
class CallSlot {
  public:
    CallSlot(Permissions::AsyncService* service, grpc::ServerCompletionQueue* queue)
        : service_(service), queue_(queue) {
        Wait();
    }

    void Proceed(bool ok) {
        switch (state_) {
            case State::kWaiting:
                if (!ok) return;  // The server is shutting down.
                if (call_->request.subject() == "slow") {
                    state_ = State::kSlow;
                    call_->alarm.Set(queue_,
                                     gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                                  gpr_time_from_millis(10, GPR_TIMESPAN)),
                                     this);
                } else {
                    Answer();
                }
                break;
            case State::kSlow:
                Answer();
                break;
            case State::kAnswering:
                Wait();
                break;
        }
    }

  private:
    enum class State { kWaiting, kSlow, kAnswering };

    struct Call {
        grpc::ServerContext context;
        grpc::ServerAsyncResponseWriter<CheckResponse> writer{&context};
        grpc::Alarm alarm;
        CheckRequest request;
        CheckResponse response;
    };

    void Wait() {
        call_ = std::make_unique<Call>();
        state_ = State::kWaiting;
        service_->RequestCheck(&call_->context, &call_->request, &call_->writer, queue_, queue_,
                               this);
    }

    void Answer() {
        if (!call_->request.subject().empty()) {
            call_->response.set_allowed(true);
            call_->response.set_reason("ALLOWED");
        }
        state_ = State::kAnswering;
        call_->writer.Finish(call_->response, grpc::Status::OK, this);
    }

    Permissions::AsyncService* service_;
    grpc::ServerCompletionQueue* queue_;
    State state_ = State::kWaiting;
    std::unique_ptr<Call> call_;
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

    Permissions::AsyncService service;
    grpc::ServerBuilder builder;
    int port = -1;
    builder.AddListeningPort(GRPCAddress(listen), grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service);
    auto queue = builder.AddCompletionQueue();
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

    std::thread([signals] {
        int signal = 0;
        sigwait(&signals, &signal);
        // Calls in flight are of no interest to a benchmark.
        std::_Exit(0);
    }).detach();

    std::vector<std::unique_ptr<CallSlot>> slots;
    for (int i = 0; i < kWaitingCalls; i++) {
        slots.push_back(std::make_unique<CallSlot>(&service, queue.get()));
    }
    void* tag = nullptr;
    bool ok = false;
    while (queue->Next(&tag, &ok)) static_cast<CallSlot*>(tag)->Proceed(ok);
    return 0;
}
