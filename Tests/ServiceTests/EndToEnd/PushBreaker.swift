import PeerContracts
import RPCKit
import Synchronization

/// Stands between the services and hands on what they ask one another, until it is told to say
/// nothing more on the streams that push: they stay open and silent, and calls continue.
final class PushBreaker: Sendable {
  private let bound = Lock<UInt16>(0)
  private let isCut = Atomic(false)
  private let targets = Lock<(auth: Channel, tenancy: Channel)?>(nil)

  private init() {}

  /// Where it listens.
  var port: UInt16 { bound.withLock { $0 } }

  /// Runs `body` with one that listens.
  static func run(_ body: (PushBreaker) async throws -> Void) async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let breaker = PushBreaker()
    var configuration = ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))])
    configuration.limits.drainTimeout = .milliseconds(100)
    let server = Server(configuration, services: breaker.services, on: loops)
    try await server.serving { server in
      guard case .ipv4(_, let port)? = server.addresses.first else {
        throw ChildProcess.Failure(description: "it listens nowhere")
      }
      breaker.bound.withLock { $0 = port }
      try await body(breaker)
    }
  }

  /// Says where calls go from now on.
  func forward(auth: Channel, tenancy: Channel) {
    targets.withLock { $0 = (auth, tenancy) }
  }

  /// From now on the streams say nothing.
  func cut() { isCut.store(true, ordering: .sequentiallyConsistent) }

  private func target() throws -> (auth: Channel, tenancy: Channel) {
    guard let target = targets.withLock({ $0 }) else { throw RPCError(.unavailable, "no target") }
    return target
  }

  private var services: [ServiceDefinition] {
    [
      ServiceDefinition(
        name: "auth.v1.Keys",
        methods: [
          .unary(Auth_V1.KeysMethods.getKeySet) { [self] request, call in
            try await Auth_V1.KeysClient(target().auth).getKeySet(request, options: call.forwarded)
          },
          .serverStreaming(Auth_V1.KeysMethods.watchRevocations) {
            [self] request, call, writer in
            let keys = Auth_V1.KeysClient(try target().auth)
            try await copy(keys.watchRevocations(request, options: call.forwarded), to: writer)
          },
        ]
      ),
      ServiceDefinition(
        name: "auth.v1.Sessions",
        methods: [
          .unary(Auth_V1.SessionsMethods.introspect) { [self] request, call in
            try await Auth_V1.SessionsClient(target().auth)
              .introspect(request, options: call.forwarded)
          }
        ]
      ),
      ServiceDefinition(
        name: "auth.v1.Users",
        methods: [
          .unary(Auth_V1.UsersMethods.batchGet) { [self] request, call in
            try await Auth_V1.UsersClient(target().auth).batchGet(request, options: call.forwarded)
          }
        ]
      ),
      ServiceDefinition(
        name: "tenancy.v1.Permissions",
        methods: [
          .unary(Tenancy_V1.PermissionsMethods.check) { [self] request, call in
            try await Tenancy_V1.PermissionsClient(target().tenancy)
              .check(request, options: call.forwarded)
          },
          .unary(Tenancy_V1.PermissionsMethods.fetch) { [self] request, call in
            try await Tenancy_V1.PermissionsClient(target().tenancy)
              .fetch(request, options: call.forwarded)
          },
          .serverStreaming(Tenancy_V1.PermissionsMethods.watchChanges) {
            [self] request, call, writer in
            let permissions = Tenancy_V1.PermissionsClient(try target().tenancy)
            try await copy(permissions.watchChanges(request, options: call.forwarded), to: writer)
          },
        ]
      ),
    ]
  }

  private func copy<Event: Message>(
    _ events: some AsyncSequence<Event, any Error>,
    to writer: ResponseWriter<Event>
  ) async throws {
    for try await event in events {
      // Goes on reading: who sends must not notice either.
      guard !isCut.load(ordering: .sequentiallyConsistent) else { continue }
      try await writer.write(event)
    }
  }
}

extension CallContext {
  /// A call on behalf of this one: the proofs are the caller's.
  fileprivate var forwarded: CallOptions {
    var metadata = Metadata()
    for name in ["authorization", "service-authorization"] {
      if let value = self.metadata[name] { metadata[name] = value }
    }
    return CallOptions(metadata: metadata)
  }
}
