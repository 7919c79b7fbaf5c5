import Contracts
import Glibc
import RPCKit

/// Serves the benchmark's permission check on one event loop, with everything on: metrics,
/// an interceptor, deadlines, limits and admission control.
@main
struct Main {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      if options.showsHelp { return print(Options.help) }
      try await serve(options)
    } catch {
      print("benchmark-server: \(error)")
      fflush(nil)
      exit(2)
    }
  }

  private static func serve(_ options: Options) async throws {
    let server = Server(
      ServerConfiguration(endpoints: [.init(options.address)]),
      services: [PermissionsHandler(work: options.work).definition],
      interceptors: [CountingInterceptor()],
      on: try .epoll(count: options.loops)
    )
    let signals = try ProcessSignals.watch([.terminate, .interrupt])
    try await server.serving { server in
      for address in server.addresses { print("listening \(address)") }
      fflush(nil)
      for await _ in signals { break }
    }
  }
}

/// Answers as every peer of the benchmark does.
struct PermissionsHandler: Benchmark_V1.PermissionsService {
  /// Time to spin for in each call, so that capacity is set by the handler (overload tests).
  let work: Duration

  func check(
    _ request: Benchmark_V1.CheckRequest,
    _ call: CallContext
  ) async throws -> Benchmark_V1.CheckResponse {
    if request.subject == "slow" { await call.loop.sleep(.milliseconds(10)) }
    if work > .zero { spin() }
    return Benchmark_V1.CheckResponse(
      allowed: !request.subject.isEmpty,
      reason: request.subject.isEmpty ? "NO_SUBJECT" : "ALLOWED"
    )
  }

  private func spin() {
    let clock = ContinuousClock()
    let end = clock.now + work
    while clock.now < end {}
  }
}

/// The interceptor that the measured server has: it looks at the call and its outcome.
struct CountingInterceptor: ServerInterceptor {
  func intercept(_ call: CallContext, next: () async throws -> Void) async throws {
    guard call.metadata["authorization"] == nil else {
      throw RPCError(.unauthenticated, "this server takes no credentials")
    }
    try await next()
  }
}
