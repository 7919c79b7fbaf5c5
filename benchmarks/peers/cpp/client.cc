// A load generator for gRPC servers: the asynchronous API on one thread. Flags and output are
// described in benchmarks/README.md and are those of the Go clients.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "address.h"
#include "histogram.h"
#include "permissions.grpc.pb.h"

using benchmark::v1::CheckRequest;
using benchmark::v1::CheckResponse;
using benchmark::v1::Permissions;

namespace {

int64_t Now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

struct Settings {
    std::string target;
    int connections = 1;
    int in_flight = 1;
    double seconds = 5;
    double warmup = 1;
    double rate = 0;
    double slow_percent = 0;
};

// A call in flight, or the room for one.
struct Slot {
    Permissions::Stub* stub = nullptr;
    std::unique_ptr<grpc::ClientContext> context;
    std::unique_ptr<grpc::ClientAsyncResponseReader<CheckResponse>> reader;
    CheckResponse response;
    grpc::Status status;
    int64_t intended = 0;
    bool slow = false;
};

class Generator {
  public:
    explicit Generator(const Settings& settings) : settings_(settings) {
        question_.set_subject("user:3f2a9c1e");
        question_.set_action("device.unlock");
        question_.set_entity("portfolio/4711/unit/12/door/front");
        question_.set_context("app");
        slow_question_ = question_;
        slow_question_.set_subject("slow");
    }

    bool Connect() {
        for (int i = 0; i < settings_.connections; i++) {
            grpc::ChannelArguments arguments;
            // Without this, channels to the same target share one connection.
            arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
            auto channel = grpc::CreateCustomChannel(
                GRPCAddress(settings_.target), grpc::InsecureChannelCredentials(), arguments);
            stubs_.push_back(Permissions::NewStub(channel));
            // A server that answers wrongly must not win.
            grpc::ClientContext context;
            context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
            CheckResponse response;
            const auto status = stubs_.back()->Check(&context, question_, &response);
            if (!status.ok() || !IsRight(response)) {
                std::fprintf(stderr, "grpc-cpp-client: the first call failed: %s\n",
                             status.error_message().c_str());
                return false;
            }
        }
        return true;
    }

    void Run() {
        slots_.resize(static_cast<size_t>(settings_.connections) * settings_.in_flight);
        for (size_t i = 0; i < slots_.size(); i++) {
            slots_[i].stub = stubs_[i % stubs_.size()].get();
        }
        started_ = Now();
        measured_from_ = started_ + Nanoseconds(settings_.warmup);
        end_ = measured_from_ + Nanoseconds(settings_.seconds);
        if (settings_.rate > 0) {
            RunOpen();
        } else {
            RunClosed();
        }
    }

    void Report() const {
        const auto counted = latencies_.total() + slow_;
        std::printf(
            "{\"client\":\"grpc-cpp\",\"connections\":%d,\"in_flight\":%d,\"rate_wanted\":%g,"
            "\"slow_percent\":%g,\"calls\":%lu,\"errors\":%lu,\"calls_total\":%lu,"
            "\"seconds\":%g,\"rate\":%.1f,\"p50_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,"
            "\"max_us\":%.1f}\n",
            settings_.connections, settings_.in_flight, settings_.rate, settings_.slow_percent,
            counted, errors_, total_ + settings_.connections, settings_.seconds,
            static_cast<double>(counted) / settings_.seconds, latencies_.Microseconds(0.5),
            latencies_.Microseconds(0.99), latencies_.Microseconds(0.999),
            latencies_.MaxMicroseconds());
    }

  private:
    static int64_t Nanoseconds(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

    static bool IsRight(const CheckResponse& response) {
        return response.allowed() && response.reason() == "ALLOWED";
    }

    void Start(Slot* slot, int64_t intended) {
        slot->intended = intended;
        slot->slow = settings_.slow_percent > 0 && share_(random_) * 100 < settings_.slow_percent;
        slot->context = std::make_unique<grpc::ClientContext>();
        slot->response.Clear();
        slot->reader = slot->stub->AsyncCheck(
            slot->context.get(), slot->slow ? slow_question_ : question_, &queue_);
        slot->reader->Finish(&slot->response, &slot->status, slot);
        in_flight_++;
    }

    void Finish(const Slot& slot) {
        const auto finished = Now();
        in_flight_--;
        total_++;
        // An open loop measures every call that was due in time, however late it ended; a closed
        // loop, the calls that ended in time.
        const auto last = settings_.rate > 0 ? slot.intended : finished;
        if (slot.intended < measured_from_ || last > end_) return;
        if (!slot.status.ok() || !IsRight(slot.response)) {
            errors_++;
        } else if (slot.slow) {
            slow_++;
        } else {
            latencies_.Add(finished - slot.intended);
        }
    }

    void RunClosed() {
        for (auto& slot : slots_) Start(&slot, Now());
        void* tag = nullptr;
        bool ok = false;
        while (in_flight_ > 0 && queue_.Next(&tag, &ok)) {
            auto* slot = static_cast<Slot*>(tag);
            Finish(*slot);
            if (const auto now = Now(); now < end_) Start(slot, now);
        }
    }

    // Spins on the queue: its waits are rounded up to a millisecond, which would show in every
    // latency.
    void RunOpen() {
        std::vector<Slot*> free;
        for (auto& slot : slots_) free.push_back(&slot);
        const int64_t give_up = end_ + Nanoseconds(2);
        int64_t sent = 0;
        bool arriving = true;
        while (arriving || in_flight_ > 0) {
            const auto now = Now();
            if (now > give_up) break;
            while (arriving && !free.empty()) {
                const auto due =
                    started_ + Nanoseconds(static_cast<double>(sent) / settings_.rate);
                if (due >= end_) {
                    arriving = false;
                } else if (due > now) {
                    break;
                } else {
                    Start(free.back(), due);
                    free.pop_back();
                    sent++;
                }
            }
            void* tag = nullptr;
            bool ok = false;
            if (queue_.AsyncNext(&tag, &ok, gpr_time_0(GPR_CLOCK_MONOTONIC)) ==
                grpc::CompletionQueue::GOT_EVENT) {
                auto* slot = static_cast<Slot*>(tag);
                Finish(*slot);
                free.push_back(slot);
            }
        }
    }

    Settings settings_;
    CheckRequest question_, slow_question_;
    std::vector<std::unique_ptr<Permissions::Stub>> stubs_;
    grpc::CompletionQueue queue_;
    std::vector<Slot> slots_;
    std::mt19937_64 random_{1};
    std::uniform_real_distribution<double> share_{0, 1};
    Histogram latencies_;
    uint64_t slow_ = 0, errors_ = 0, total_ = 0;
    int64_t in_flight_ = 0;
    int64_t started_ = 0, measured_from_ = 0, end_ = 0;
};

bool Parse(int count, char** arguments, Settings* settings) {
    const std::map<std::string, double*> numbers = {{"--seconds", &settings->seconds},
                                                    {"--warmup", &settings->warmup},
                                                    {"--rate", &settings->rate},
                                                    {"--slow-percent", &settings->slow_percent}};
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string name = arguments[i];
        const char* value = arguments[i + 1];
        if (name == "--target") {
            settings->target = value;
        } else if (name == "--connections") {
            settings->connections = std::atoi(value);
        } else if (name == "--in-flight") {
            settings->in_flight = std::atoi(value);
        } else if (const auto number = numbers.find(name); number != numbers.end()) {
            *number->second = std::atof(value);
        } else {
            return false;
        }
    }
    return count % 2 == 1 && !settings->target.empty() && settings->connections > 0 &&
           settings->in_flight > 0 && settings->seconds > 0;
}

}  // namespace

int main(int count, char** arguments) {
    Settings settings;
    if (!Parse(count, arguments, &settings)) {
        std::fprintf(stderr,
                     "usage: grpc-cpp-client --target ADDRESS [--connections C] [--in-flight N]\n"
                     "       [--seconds S] [--warmup S] [--rate R] [--slow-percent P]\n");
        return 2;
    }
    Generator generator(settings);
    if (!generator.Connect()) return 1;
    generator.Run();
    generator.Report();
    std::fflush(stdout);
    // An overloaded open loop may leave calls behind; their queue cannot be taken down in order.
    std::_Exit(0);
}
