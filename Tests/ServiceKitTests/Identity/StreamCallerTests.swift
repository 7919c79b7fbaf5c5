import TestingContracts
import RPCKit
import Testing

@testable import ServiceKit

/// For whom streams are counted, once it is known who calls.
@Suite("Streams by caller", .timeLimit(.minutes(1)))
struct StreamCallerTests {
  private typealias Request = Benchmark_V1.CheckRequest
  private typealias Response = Benchmark_V1.CheckResponse

  private let forge = TokenForge()
  private let serviceKey = SigningKey.generate()

  /// Nobody's session is revoked.
  private struct ActiveSessions: RevocationSource {
    func state(of claims: AccessClaims) async -> SessionState { .active }
    func knownState(of token: VerifiedToken) -> SessionState? { .active }
  }

  private static func method(
    _ name: String,
    _ caller: MethodDescriptor.CallerClass
  ) -> MethodDescriptor {
    MethodDescriptor(
      service: "test.v1.Doors",
      method: name,
      kind: .serverStreaming,
      callerClass: caller,
      requestType: Request.protobufName,
      responseType: Response.protobufName
    )
  }

  private static let methods = [
    "Public": method("Public", .public), "User": method("User", .user),
    "Service": method("Service", .service),
  ]

  /// Two streams for each caller and twelve in all, behind the interceptor of every service.
  private func serving(
    _ body: (_ open: (String, Metadata) async throws -> StatusCode?) async throws -> Void
  ) async throws {
    let interceptor = AuthenticationInterceptor(
      tokens: AccessTokenAuthenticator(
        verifier: forge.verifier,
        keys: FixedKeySource(forge.keys),
        revocations: ActiveSessions(),
        clock: forge.clock
      ),
      services: ServiceTokenVerifier(
        audience: "doors",
        keys: ["tenancy": KeySet([serviceKey.verificationKey])],
        clock: forge.clock
      ),
      clock: forge.clock
    )
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    var configuration = ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))])
    configuration.limits.streamingCallsMax = 12
    configuration.limits.streamingCallsPerSourceMax = 2
    configuration.limits.streamingCallsPerUserMax = 2
    configuration.limits.streamingCallsPerServiceMax = 2
    let definition = ServiceDefinition(
      name: "test.v1.Doors",
      methods: Self.methods.values.map { method in
        .serverStreaming(method) {
          (request: Request, call: CallContext, writer: ResponseWriter<Response>) in
          try await writer.write(Response(allowed: true))
          let (never, continuation) = AsyncStream.makeStream(of: Void.self)
          await call.waiting { for await _ in never {} }
          continuation.finish()
        }
      }
    )
    let server = Server(
      configuration,
      services: [definition],
      interceptors: [interceptor],
      on: loops
    )
    try await server.serving { server in
      let address = try #require(server.addresses.first)
      var channelConfiguration = ChannelConfiguration(loops: loops)
      // A refused stream would be tried again after the time that the server asks for.
      channelConfiguration.retry.attemptCountMax = 1
      try await withChannel("tcp://\(address)", channelConfiguration) { channel in
        try await withThrowingTaskGroup(of: Void.self) { group in
          try await body { name, metadata in
            let method = try #require(Self.methods[name])
            let (answers, continuation) = AsyncStream.makeStream(of: StatusCode?.self)
            group.addTask {
              do {
                let responses: ResponseStream<Response> = channel.serverStreaming(
                  method,
                  Request(),
                  options: CallOptions(metadata: metadata)
                )
                for try await _ in responses { continuation.yield(nil) }
              } catch let error as RPCError {
                continuation.yield(error.code)
              }
            }
            var iterator = answers.makeAsyncIterator()
            return try #require(await iterator.next())
          }
          group.cancelAll()
        }
      }
    }
    #expect(server.streamingCallCount == 0 && server.admission.runningCount == 0)
  }

  @Test("each user, service and address has its own streams, however it comes in")
  func streams_areCountedForTheirCaller() async throws {
    let issuer = ServiceTokenIssuer(
      name: "tenancy",
      key: serviceKey,
      clock: forge.clock,
      random: SystemRandomSource()
    )
    let first: Metadata = ["authorization": "Bearer \(forge.token())"]
    let second: Metadata = [
      "authorization": "Bearer \(forge.token(claims: { $0["sub"] = "usr_2" }))"
    ]
    let service = { () -> Metadata in
      ["service-authorization": "Bearer \(issuer.token(for: "doors"))"]
    }
    // For methods of services a service counts as itself, with or without a user's token.
    var both = service()
    both["authorization"] = first["authorization"]
    // Who tells an address without proof is not believed.
    let steps: [(method: String, metadata: Metadata, code: StatusCode?)] = [
      ("Public", [:], nil), ("Public", ["client-address": "203.0.113.1"], nil),
      ("Public", ["client-address": "203.0.113.2"], .resourceExhausted),
      ("Public", first, nil), ("User", first, nil), ("User", first, .resourceExhausted),
      ("User", second, nil), ("Service", service(), nil), ("Service", both, nil),
      ("Service", service(), .resourceExhausted),
    ]
    try await serving { open in
      for (number, step) in steps.enumerated() {
        let code = try await open(step.method, step.metadata)
        #expect(code == step.code, "step \(number)")
      }
    }
  }
}
