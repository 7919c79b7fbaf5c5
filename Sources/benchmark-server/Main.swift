import TestingContracts
import Glibc
import RPCKit

/// Serves the benchmark's permission check on one event loop, in frames and by HTTP on the same port, with
/// everything on: metrics, an interceptor, deadlines, limits and admission control.
@main
struct Main {
  static func main() async {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      if options.showsHelp { return print(Options.help) }
      try await serve(options)
    } catch {
      print("benchmark-server: \(error)")
      fflush(nil)
      exit(2)
    }
  }

  private static func serve(_ options: Options) async throws {
    let handler = PermissionsHandler(work: options.work)
    let service = options.hasFastPath ? handler.immediateDefinition : handler.definition
    var configuration = ServerConfiguration(endpoints: [.init(options.address)])
    try configuration.serveHTTP(service)
    let server = Server(
      configuration,
      services: [service],
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
    return answer(request)
  }

  /// The contract's method with a path, as `(google.api.http) = {post: "/v1/check" body: "*"}` would give it one.
  private static var method: MethodDescriptor {
    var method = Benchmark_V1.PermissionsMethods.check
    method.httpBindings = [
      HTTPBinding(
        method: "POST",
        template: "/v1/check",
        segments: [.literal("v1"), .literal("check")],
        body: .whole
      )
    ]
    return method
  }

  /// The service with its path.
  var definition: ServiceDefinition {
    ServiceDefinition(
      name: Self.method.service,
      methods: [.unary(Self.method) { request, call in try await check(request, call) }]
    )
  }

  /// The same, answered without a task when the call is not slow.
  var immediateDefinition: ServiceDefinition {
    ServiceDefinition(
      name: Self.method.service,
      methods: [.unary(Self.method, replying: checkFromMemory)]
    )
  }

  private func checkFromMemory(
    _ request: Benchmark_V1.CheckRequest,
    _ call: CallContext
  ) throws -> Reply<Benchmark_V1.CheckResponse> {
    guard request.subject == "slow" else { return .now(answer(request)) }
    return .later { try await self.check(request, call) }
  }

  private func answer(_ request: Benchmark_V1.CheckRequest) -> Benchmark_V1.CheckResponse {
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

/// The interceptor that the measured server has.
struct CountingInterceptor: ServerInterceptor {
  func begin(_ call: CallContext) throws -> Interception {
    guard call.metadata["authorization"] == nil else {
      throw RPCError(.unauthenticated, "this server takes no credentials")
    }
    return .proceed
  }
}
