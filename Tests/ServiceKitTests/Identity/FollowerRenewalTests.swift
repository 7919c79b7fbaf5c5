import PeerContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Following a stream past the end of its credentials", .timeLimit(.minutes(1)))
struct FollowerRenewalTests {
  /// AuthService as far as revocations go: tells what the test says, when it says so.
  private actor ScriptedKeys: Auth_V1.KeysService {
    private var writers: [AsyncStream<Auth_V1.Revocation>.Continuation] = []
    private var waiters: [CheckedContinuation<Void, Never>] = []
    /// What each stream asked to continue after.
    private(set) var revisions: [UInt64] = []

    /// Waits until so many streams were opened.
    func opened(_ count: Int) async {
      while writers.count < count { await withCheckedContinuation { waiters.append($0) } }
    }

    func tell(_ event: Auth_V1.Revocation) { writers.last?.yield(event) }

    func getKeySet(
      _ request: Auth_V1.GetKeySetRequest,
      _ call: CallContext
    ) async throws -> Auth_V1.KeySet {
      throw RPCError(.unimplemented, "no keys here")
    }

    func watchRevocations(
      _ request: Auth_V1.WatchRevocationsRequest,
      _ call: CallContext,
      to writer: ResponseWriter<Auth_V1.Revocation>
    ) async throws {
      let (events, continuation) = AsyncStream.makeStream(of: Auth_V1.Revocation.self)
      revisions.append(request.afterRevision)
      writers.append(continuation)
      for waiter in waiters { waiter.resume() }
      waiters = []
      for await event in events { try await writer.write(event) }
    }
  }

  @Test("A service goes on where its stream ended, quietly, and is not blind in between")
  func feed_proofEnds_goesOnWithANewOne() async throws {
    let (forge, key, sink) = (TokenForge(), SigningKey.generate(), CollectingSink())
    let interceptor = AuthenticationInterceptor(
      tokens: AccessTokenAuthenticator(
        verifier: forge.verifier,
        keys: FixedKeySource(forge.keys),
        revocations: RevocationSet(),
        clock: forge.clock
      ),
      services: ServiceTokenVerifier(
        audience: "auth",
        keys: ["tenancy": KeySet([key.verificationKey])],
        clock: forge.clock
      ),
      clock: forge.clock,
      streamInterval: .milliseconds(10)
    )
    let service = ScriptedKeys()
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    var configuration = ServerConfiguration(
      endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]
    )
    configuration.limits.responseStreamDrainTimeout = .zero
    let server = Server(
      configuration,
      services: [service.definition],
      interceptors: [interceptor],
      on: loops
    )
    try await server.serving { server in
      var client = ChannelConfiguration(loops: loops)
      client.interceptors = [
        ServiceCredentials(
          ServiceTokenIssuer(
            name: "tenancy",
            key: key,
            clock: forge.clock,
            random: SystemRandomSource()
          ),
          audience: "auth"
        )
      ]
      let address = try #require(server.addresses.first)
      try await withChannel("tcp://\(address)", client) { channel in
        let feed = RevocationFeed(
          keys: .init(channel),
          sessions: .init(channel),
          loop: loops.loops[0],
          clock: forge.clock,
          logger: Logger(label: "test", level: .trace, sink: sink)
        )
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await feed.run() }
          await service.opened(1)
          await service.tell(.init(kind: .session, revision: 6, sessionId: "ses_1"))
          await service.tell(.init(kind: .snapshotEnd, revision: 7))
          while !feed.isLive { await Task.yield() }
          for round in 2...4 {
            forge.clock.advance(91_000)
            await service.opened(round)
            // The new stream has not said anything yet.
            #expect(feed.isLive, "blind in round \(round)")
            await service.tell(
              .init(kind: .session, revision: UInt64(7 + round), sessionId: "ses_\(round)")
            )
            await service.tell(.init(kind: .snapshotEnd, revision: UInt64(7 + round)))
            while feed.count < round { await Task.yield() }
          }
          group.cancelAll()
        }
        #expect(await service.revisions == [0, 7, 9, 10])
        #expect(sink.lines == [])
      }
    }
  }
}
