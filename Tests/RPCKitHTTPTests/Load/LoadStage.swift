import LoadGenerator
import RPCKitHTTP
import RPCKit
import Reflection
import TestingContracts

/// A server with every wire, and the generator's runs against it over real sockets.
enum LoadStage {
  private struct Permissions: Benchmark_V1.PermissionsService {
    func check(
      _ request: Benchmark_V1.CheckRequest,
      _ call: CallContext
    ) async throws -> Benchmark_V1.CheckResponse {
      switch request.subject {
      case "nobody": throw RPCError(.permissionDenied, "not nobody: ü")
      case "secret" where call.metadata["authorization"] != "Bearer t0ken":
        throw RPCError(.unauthenticated, "no token")
      case "late": Self.spin(.milliseconds(5))
      default: break
      }
      return Benchmark_V1.CheckResponse(allowed: true, reason: "ALLOWED")
    }

    /// Keeps the loop busy: the call takes that long, and so does every other one.
    private static func spin(_ duration: Duration) {
      let clock = ContinuousClock()
      let end = clock.now + duration
      while clock.now < end {}
    }
  }

  private static var service: ServiceDefinition {
    var method = Benchmark_V1.PermissionsMethods.check
    method.httpBindings = [
      HTTPBinding(
        method: "POST",
        template: "/v1/check",
        segments: [.literal("v1"), .literal("check")],
        body: .whole
      ),
      HTTPBinding(
        method: "GET",
        template: "/v1/check/{subject}",
        segments: [.literal("v1"), .literal("check"), .single],
        variables: [.init(field: "subject", segments: 2..<3)],
        body: .none
      ),
    ]
    return ServiceDefinition(
      name: method.service,
      methods: [.unary(method) { try await Permissions().check($0, $1) }]
    )
  }

  private static func wire() throws -> HTTPServerWire {
    let schema = try SchemaRegistry(
      [Benchmark_V1.benchmarkV1PermissionFile],
      readsComments: false
    )
    var router = CallRouter()
    router.routes = [RESTRoutes([service], registry: schema)]
    return HTTPServerWire(HTTPConfiguration(router: router))
  }

  /// A run against the server; `flags` are words of the command line.
  static func run(
    _ flags: [String],
    certificate: SelfSignedCertificate? = nil
  ) async throws -> LoadReport {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let wire = try wire()
    var endpoint = ServerConfiguration.Endpoint(.ipv4([127, 0, 0, 1], port: 0))
    if let certificate { endpoint = try certificate.endpoint([wire]) }
    var configuration = ServerConfiguration(endpoints: [endpoint])
    configuration.wires = [wire]
    let server = Server(configuration, services: [service], on: loops)
    return try await server.serving { server in
      let scheme = certificate == nil ? "tcp" : "tls"
      var words = ["--target", "\(scheme)://\(server.addresses[0])", "--warmup", "0"] + flags
      if let certificate { words += ["--tls-ca", certificate.path] }
      return try await report(words)
    }
  }

  /// The report of a command line.
  static func report(_ words: [String]) async throws -> LoadReport {
    guard case .run(let options) = try LoadCommand(words) else {
      throw RPCError(.internal, "help instead of options")
    }
    let run = try await LoadRun.prepare(options)
    let report = await run.drive()
    await run.close()
    return report
  }
}
