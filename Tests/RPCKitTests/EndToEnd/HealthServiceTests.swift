import RPCKit
import Testing

/// `grpc.health.v1.Health` as a balancer sees it.
@Suite("The health service over sockets", .timeLimit(.minutes(1)))
struct HealthServiceTests {
  private typealias Status = HealthService.Status

  /// Serves a health service while `body` talks to it.
  private static func run(
    _ body: (HealthService, Grpc_Health_V1.HealthClient, Server) async throws -> Void
  ) async throws {
    let health = HealthService()
    let loops = try EventLoopGroup.epoll(count: 1)
    let server = Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: [health.definition],
      on: loops
    )
    try await server.serving { server in
      let target = try #require(server.addresses.first).target
      try await withChannel(target, ChannelConfiguration(loops: loops)) { channel in
        try await body(health, Grpc_Health_V1.HealthClient(channel), server)
      }
    }
    loops.stop()
  }

  private static func request(_ service: String) -> Grpc_Health_V1.HealthCheckRequest {
    var request = Grpc_Health_V1.HealthCheckRequest()
    request.service = service
    return request
  }

  private typealias Statuses =
    ResponseStream<Grpc_Health_V1.HealthCheckResponse>.AsyncIterator

  private static func expect(
    _ client: Grpc_Health_V1.HealthClient,
    _ service: String,
    _ expected: Status,
    location: SourceLocation = #_sourceLocation
  ) async throws {
    let status = try await client.check(request(service)).status
    #expect(status == expected, sourceLocation: location)
  }

  /// Expects the next status of a watch, or its end.
  private static func expectNext(
    _ statuses: inout Statuses,
    _ expected: Status?,
    location: SourceLocation = #_sourceLocation
  ) async throws {
    let status = try await statuses.next()?.status
    #expect(status == expected, sourceLocation: location)
  }

  @Test("Check tells the status of the server and of each service that was set")
  func check_knownServices_tellsTheirStatus() async throws {
    try await Self.run { health, client, _ in
      try await Self.expect(client, "", .serving)
      health.set(.notServing, for: "a.B")
      try await Self.expect(client, "a.B", .notServing)
      try await Self.expect(client, "", .serving)
      health.set(.serving, for: "a.B")
      try await Self.expect(client, "a.B", .serving)
    }
  }

  @Test("Check fails with NOT_FOUND for a service that was never set")
  func check_unknownService_isNotFound() async throws {
    try await Self.run { _, client, _ in
      let error = await rpcError { _ = try await client.check(Self.request("a.B")) }
      #expect(error?.code == .notFound)
    }
  }

  @Test("Watch tells the status now and every change that is one, of its service only")
  func watch_changes_areTold() async throws {
    try await Self.run { health, client, _ in
      var statuses = client.watch(Self.request("a.B")).makeAsyncIterator()
      try await Self.expectNext(&statuses, .serviceUnknown)
      health.set(.serving, for: "a.B")
      try await Self.expectNext(&statuses, .serving)
      // Neither of these is news to this watcher.
      health.set(.serving, for: "a.B")
      health.set(.notServing)
      health.set(.notServing, for: "a.B")
      try await Self.expectNext(&statuses, .notServing)
    }
  }

  @Test("Shutting down says NOT_SERVING, ends every Watch with OK, and is for good")
  func shutDown_endsWatches() async throws {
    try await Self.run { health, client, server in
      health.set(.serving, for: "a.B")
      var known = client.watch(Self.request("a.B")).makeAsyncIterator()
      var unknown = client.watch(Self.request("c.D")).makeAsyncIterator()
      try await Self.expectNext(&known, .serving)
      try await Self.expectNext(&unknown, .serviceUnknown)
      health.shutDown()
      try await Self.expectNext(&known, .notServing)
      try await Self.expectNext(&known, nil)
      try await Self.expectNext(&unknown, nil)
      health.set(.serving, for: "a.B")
      try await Self.expect(client, "a.B", .notServing)
      try await Self.expect(client, "", .notServing)
      var late = client.watch(Self.request("")).makeAsyncIterator()
      try await Self.expectNext(&late, .notServing)
      try await Self.expectNext(&late, nil)
    }
  }

  @Test("A name that is longer than any service's is refused and not kept")
  func longName_isRefused() async throws {
    try await Self.run { health, client, server in
      let long = Self.request(String(repeating: "x", count: 257))
      let error = await rpcError { _ = try await client.check(long) }
      #expect(error?.code == .invalidArgument)
      var statuses = client.watch(long).makeAsyncIterator()
      let refusal = await rpcError { _ = try await statuses.next() }
      #expect(refusal?.code == .invalidArgument && health.watcherCount == 0)
      let longest = String(repeating: "x", count: 256)
      health.set(.serving, for: longest)
      try await Self.expect(client, longest, .serving)
    }
  }

  @Test("Changes that come faster than a watcher looks end with the last one")
  func watch_manyChanges_endsWithTheLast() async throws {
    try await Self.run { health, client, server in
      var statuses = client.watch(Self.request("a.B")).makeAsyncIterator()
      try await Self.expectNext(&statuses, .serviceUnknown)
      for _ in 0..<1000 {
        health.set(.serving, for: "a.B")
        health.set(.notServing, for: "a.B")
      }
      health.shutDown()
      var last: Status?
      while let status = try await statuses.next()?.status { last = status }
      #expect(last == .notServing && health.watcherCount == 0)
    }
  }

  @Test("A watcher that leaves ends its handler, and the others go on")
  func watch_leftEarly_endsItsHandler() async throws {
    try await Self.run { health, client, server in
      var staying = client.watch(Self.request("")).makeAsyncIterator()
      try await Self.expectNext(&staying, .serving)
      for _ in 0..<20 {
        for try await response in client.watch(Self.request("")) {
          #expect(response.status == .serving)
          break
        }
      }
      while server.admission.runningCount > 1 { await Task.yield() }
      health.set(.notServing)
      try await Self.expectNext(&staying, .notServing)
    }
  }
}
