import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

/// One method behind a real socket, whose errors leave as those of a service do.
struct CallStage: Sendable {
  typealias Request = Benchmark_V1.CheckRequest
  typealias Response = Benchmark_V1.CheckResponse
  typealias Handler = @Sendable (Request, CallContext) async throws -> Response

  static let method = MethodDescriptor(
    service: "test.v1.Deeds",
    method: "Do",
    kind: .unary,
    callerClass: .public,
    requestType: Request.protobufName,
    responseType: Response.protobufName
  )

  let channel: Channel
  let server: Server
  /// Where it serves.
  let target: String
  let clock: ManualClock
  let metrics: MetricRegistry
  let sink: CollectingSink

  /// Serves `handler` for the length of `body`, and traces its calls if there is a tracer.
  static func run(
    tracer: Tracer? = nil,
    runningHandlersMax: Int = 10_000,
    admission: AdmissionControl.Configuration = .init(),
    _ handler: @escaping Handler,
    _ body: (CallStage) async throws -> Void
  ) async throws {
    let (clock, metrics, sink) = (ManualClock(), MetricRegistry(), CollectingSink())
    let errors = CallErrors(
      service: "test",
      identifiers: IdentifierFactory(clock: clock, random: SystemRandomSource()),
      // The limiter of the logger would do what the ration of denials is for.
      logger: Logger(label: "test", level: .debug, sink: sink, clock: clock),
      clock: clock,
      metrics: metrics
    )
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    var configuration = ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))])
    configuration.limits.runningHandlersMax = runningHandlersMax
    configuration.admission = admission
    configuration.completeError = { error, call in errors.complete(error, call) }
    configuration.refusalDetails = CallErrors.refusalDetails
    let tracing = tracer.map { [TracingInterceptor($0)] } ?? []
    let server = Server(
      configuration,
      services: [
        ServiceDefinition(name: method.service, methods: [.unary(method, handler)])
      ],
      interceptors: tracing + [StatedCaller()],
      on: loops
    )
    try await server.serving { server in
      let address = try #require(server.addresses.first)
      var client = ChannelConfiguration(loops: loops)
      client.retry = .never
      try await withChannel("tcp://\(address)", client) { channel in
        try await body(
          CallStage(
            channel: channel,
            server: server,
            target: "tcp://\(address)",
            clock: clock,
            metrics: metrics,
            sink: sink
          )
        )
      }
    }
  }

  /// What a call ends with; nil when it succeeds.
  func error(
    _ metadata: Metadata = [:],
    of method: MethodDescriptor = CallStage.method
  ) async throws -> RPCError? {
    do {
      let _: Response = try await channel.unary(
        method,
        Request(),
        options: CallOptions(metadata: metadata)
      )
      return nil
    } catch let error as RPCError {
      return error
    }
  }

  /// The metrics, as they are scraped.
  var exposition: String { String(decoding: metrics.render(), as: UTF8.self) }

  /// The lines with a message.
  func lines(_ message: String) -> [String] {
    sink.lines.filter { $0.contains("\"message\":\"\(message)\"") }
  }
}

/// Believes callers who say who they are: a user, a service, or both.
private struct StatedCaller: ServerInterceptor {
  func begin(_ call: CallContext) throws -> Interception {
    let service = call.metadata["test-service"]
    if let user = call.metadata["test-user"] {
      call.caller = .user(
        UserIdentity(
          userID: user,
          sessionID: "ses_1",
          token: BearerToken("token"),
          acr: "pwd",
          authenticated: 0,
          tokenExpires: .max,
          actingService: service
        )
      )
    } else if let service {
      call.caller = .service(service)
    }
    return .proceed
  }
}
