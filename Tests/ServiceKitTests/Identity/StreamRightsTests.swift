import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Streams and the proofs of their callers", .timeLimit(.minutes(1)))
struct StreamRightsTests {
  private let forge = TokenForge()
  private let serviceKey = SigningKey.generate()
  private let revocations = RevocationSet()
  private let gateways = GatewayProof()

  private static let method = MethodDescriptor(
    service: "test.v1.Doors",
    method: "Watch",
    kind: .serverStreaming,
    callerClass: .user,
    callingServices: ["*", GatewayProof.service],
    requestType: "benchmark.v1.CheckRequest",
    responseType: "benchmark.v1.CheckResponse"
  )

  /// What a test does to the proofs behind a stream.
  private struct Stage: Sendable {
    let channel: Channel
    let services: ServiceTokenVerifier
    let keys: ReplaceableKeys
    /// Opens a stream, does `change` when its first message has come, and says what the stream ended with.
    func ending(_ metadata: Metadata, after change: () -> Void) async -> String {
      await counting(metadata) { if $0 == 0 { change() } }
    }

    /// Opens a stream, does `change` after each message, which are counted, and says what it ended with.
    func counting(_ metadata: Metadata, afterEach change: (Int) -> Void) async -> String {
      let stream: ResponseStream<Benchmark_V1.CheckResponse> = channel.serverStreaming(
        StreamRightsTests.method,
        Benchmark_V1.CheckRequest(),
        options: CallOptions(metadata: metadata)
      )
      do {
        var count = 0
        for try await _ in stream {
          change(count)
          count += 1
        }
        return "OK"
      } catch let error as RPCError {
        return "\(error.code) \(error.reason ?? "")"
      } catch {
        return "\(error)"
      }
    }
  }

  /// Keys that are exchanged while tokens of them are in use.
  private final class ReplaceableKeys: KeySource {
    private let current: Lock<KeySet>

    init(_ keys: KeySet) { current = Lock(keys) }

    var keys: KeySet { current.withLock { $0 } }

    func refresh(for keyID: String) async -> Bool { true }

    func replace(_ keys: KeySet) { current.withLock { $0 = keys } }
  }

  private func serving(
    interval: Duration = .milliseconds(10),
    _ body: (Stage) async throws -> Void
  ) async throws {
    let keys = ReplaceableKeys(forge.keys)
    let services = ServiceTokenVerifier(
      audience: "doors",
      keys: ["tenancy": KeySet([serviceKey.verificationKey])],
      clock: forge.clock
    )
    let interceptor = AuthenticationInterceptor(
      tokens: AccessTokenAuthenticator(
        verifier: forge.verifier,
        keys: keys,
        revocations: revocations,
        clock: forge.clock
      ),
      services: services,
      gateways: gateways,
      clock: forge.clock,
      streamInterval: interval
    )
    let definition = ServiceDefinition(
      name: "test.v1.Doors",
      methods: [
        .serverStreaming(Self.method) {
          (
            _: Benchmark_V1.CheckRequest,
            call,
            writer: ResponseWriter<Benchmark_V1.CheckResponse>
          )
          in
          // A heartbeat now and then, as watches have; ends when it is cancelled.
          while !Task.isCancelled {
            try await writer.write(.init(allowed: true))
            await call.loop.sleep(.milliseconds(20))
          }
        }
      ]
    )
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let server = Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: [definition],
      interceptors: [interceptor],
      on: loops
    )
    try await server.serving { server in
      let address = try #require(server.addresses.first)
      try await withChannel("tcp://\(address)", .init(loops: loops)) { channel in
        try await body(Stage(channel: channel, services: services, keys: keys))
      }
    }
  }

  private var user: Metadata { ["authorization": "Bearer \(forge.token())"] }

  private var service: Metadata {
    let issuer = ServiceTokenIssuer(
      name: "tenancy",
      key: serviceKey,
      clock: forge.clock,
      random: SystemRandomSource()
    )
    return ["service-authorization": "Bearer \(issuer.token(for: "doors"))"]
  }

  private static let ended = "UNAUTHENTICATED PROOF_ENDED"

  @Test("A stream ends when the service's token has expired, and a new one may be opened")
  func serviceToken_expired_endsTheStream() async throws {
    try await serving { stage in
      for _ in 0..<2 {
        #expect(await stage.ending(service) { forge.clock.advance(91_000) } == Self.ended)
      }
    }
  }

  @Test("A gateway's stream goes on while its secret is one of two, and ends with it")
  func gatewaySecret_replaced_endsTheStream() async throws {
    let (old, new) = (
      GatewaySecrets.generate(SystemRandomSource()), GatewaySecrets.generate(SystemRandomSource())
    )
    let (alone, both, other) = (
      try #require(GatewaySecrets(old)), try #require(GatewaySecrets("\(old)\n\(new)")),
      try #require(GatewaySecrets(new))
    )
    gateways.replaceSecrets(alone)
    try await serving { stage in
      let shown: Metadata = ["service-authorization": "Bearer \(old)"]
      let counted = Lock(0)
      let ending = await stage.counting(shown) { count in
        counted.withLock { $0 = count }
        if count == 0 { gateways.replaceSecrets(both) }
        if count == 20 { gateways.replaceSecrets(other) }
      }
      #expect(ending == Self.ended)
      #expect(counted.withLock { $0 } >= 20)
    }
  }

  @Test(
    "Calls are refused and streams have ended three seconds after the end of a token, not before it"
  )
  func token_ended_endsCallsAndStreamsAlike() async throws {
    // Looked at once in the time of the grace: what is not good then without one would end too late.
    #expect(TokenClaims.graceMilliseconds == 3_000)
    try await serving { stage in
      for (isUser, lifetime) in [(true, 600_000), (false, 60_000)] as [(Bool, Int64)] {
        let metadata = isUser ? user : service
        var lastCount = 0
        let ending = await stage.counting(metadata) { count in
          lastCount = count
          if count == 0 { forge.clock.advance(lifetime - 1) }
          // Looked at several times meanwhile.
          if count == 5 { forge.clock.advance(1) }
        }
        #expect(ending == Self.ended)
        #expect(lastCount >= 5)
      }
    }
  }

  @Test("A stream ends when the service's key was taken away, and goes on when another one was")
  func serviceKey_removed_endsTheStream() async throws {
    try await serving { stage in
      let kept = KeySet([serviceKey.verificationKey, SigningKey.generate().verificationKey])
      var lastCount = 0
      let ending = await stage.counting(service) { count in
        lastCount = count
        if count == 0 { stage.services.replaceKeys(["tenancy": kept]) }
        // Looked at several times meanwhile.
        if count == 5 { stage.services.replaceKeys([:]) }
      }
      #expect(ending == Self.ended)
      #expect(lastCount >= 5)
    }
  }

  @Test("A user's stream ends when the token has expired, or its key was withdrawn")
  func userToken_ended_endsTheStream() async throws {
    try await serving { stage in
      #expect(await stage.ending(user) { forge.clock.advance(700_000) } == Self.ended)
      #expect(await stage.ending(user) { stage.keys.replace(KeySet([])) } == Self.ended)
    }
  }

  @Test("A user's stream ends at once when the session is revoked, or the user")
  func session_revoked_endsTheStreamAtOnce() async throws {
    // Not looked at again within this test.
    try await serving(interval: .seconds(3600)) { stage in
      let now = forge.clock.now
      #expect(
        await stage.ending(user) {
          revocations.insert([Revocation(.session("another"), expires: .max)], now: now)
          revocations.insert([Revocation(.session("ses_1"), expires: .max)], now: now)
        } == Self.ended
      )
    }
  }

  @Test("A service that acts for a user has the stream for as long as both may have it")
  func both_oneEnded_endsTheStream() async throws {
    try await serving { stage in
      var both = service
      both["authorization"] = user["authorization"]
      #expect(await stage.ending(both) { stage.services.replaceKeys([:]) } == Self.ended)
    }
    try await serving(interval: .seconds(3600)) { stage in
      var both = service
      both["authorization"] = user["authorization"]
      #expect(
        await stage.ending(both) {
          let revocation = Revocation(.user("usr_1", notBefore: .max), expires: .max)
          revocations.insert([revocation], now: forge.clock.now)
        } == Self.ended
      )
    }
  }
}
