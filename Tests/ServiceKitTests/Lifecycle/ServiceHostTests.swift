import RPCKit
import Testing

@testable import ServiceKit

/// A service that tells what becomes of it, and whose work in the background ends at once.
private enum TellingProgram: HostedService {
  typealias Settings = AsyncStream<String>.Continuation

  static let identity = ServiceIdentity(
    name: "telling",
    summary: "A service of a test.",
    port: 1,
    adminPort: 1
  )

  static let store = StoreDefinition(applicationID: 1, migrations: [])

  static func settings(_ members: inout JSONMembers) throws(JSONDecodingError) -> Settings {
    AsyncStream.makeStream().continuation
  }

  static func open(
    _ events: Settings,
    in environment: ServiceEnvironment
  ) async throws -> OpenService {
    OpenService(
      services: [],
      interceptors: [],
      work: [{ events.yield("work") }],
      readiness: { Readiness([]) },
      reload: { events.yield("reload") },
      peers: [],
      closeStore: {
        events.yield("closed")
        events.finish()
      }
    )
  }
}

@Suite("The life of a service in its host", .timeLimit(.minutes(1)))
struct ServiceHostTests {
  @Test("Work that comes to an end does not end the service; a signal does, and closes the store")
  func run_workEnds_servesUntilASignal() async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    var settings = try ConfigurationReader.decode(["admin": false, "database": "none"]) {
      (members) throws(JSONDecodingError) in
      try ServiceSettings(&members, name: "telling", port: 1, adminPort: 1)
    }
    settings.listen = [.ipv4([127, 0, 0, 1], port: 0)]
    let environment = ServiceEnvironment(
      name: "telling",
      settings: settings,
      logger: Logger(label: "telling", level: .critical, sink: CollectingSink()),
      metrics: RPCMetrics(registry: MetricRegistry(), version: "test"),
      loops: loops
    )
    let (events, teller) = AsyncStream<String>.makeStream()
    let (signals, sender) = AsyncStream<ProcessSignal>.makeStream()
    let host = try await ServiceHost<TellingProgram>(teller, in: environment)
    async let ended: Void = host.run(signals: signals) { _ in teller.yield("ready") }
    var told = events.makeAsyncIterator()
    var beginning: Set<String> = []
    for _ in 0..<2 { beginning.insert(await told.next() ?? "") }
    #expect(beginning == ["ready", "work"])
    for _ in 0..<20 {
      sender.yield(.hangUp)
      #expect(await told.next() == "reload")
    }
    sender.yield(.terminate)
    try await ended
    #expect(await told.next() == "closed")
    #expect(await told.next() == nil)
  }
}
