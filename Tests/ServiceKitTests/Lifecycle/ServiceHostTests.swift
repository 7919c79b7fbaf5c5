import TestingContracts
import RPCKit
import Synchronization
import Testing

@testable import ServiceKit

/// What a test and the service it runs have to say to each other.
private final class Script: Sendable {
  let events: AsyncStream<String>
  let teller: AsyncStream<String>.Continuation
  private let readiness = Mutex(true)

  init() { (events, teller) = AsyncStream.makeStream() }

  var isReady: Bool {
    get { readiness.withLock { $0 } }
    set { readiness.withLock { $0 = newValue } }
  }
}

/// A service that tells what becomes of it, and whose work in the background ends at once.
private enum TellingProgram: HostedService {
  typealias Settings = Script

  static let identity = ServiceIdentity(
    name: "telling",
    summary: "A service of a test.",
    port: 1,
    adminPort: 1
  )

  static let store = StoreDefinition(applicationID: 1, migrations: [])

  static func settings(_ members: inout JSONMembers) throws(JSONDecodingError) -> Settings {
    Script()
  }

  static func open(
    _ script: Settings,
    in environment: ServiceEnvironment
  ) async throws -> OpenService<Settings> {
    OpenService(
      services: [Allowing().definition],
      interceptors: [],
      work: [{ script.teller.yield("work") }],
      readiness: {
        Readiness([.init("script", isReady: script.isReady)])
      },
      reload: { _ in script.teller.yield("reload") },
      peers: [],
      closeStore: {
        script.teller.yield("closed")
        script.teller.finish()
      }
    )
  }
}

/// A service whose contract is none of Gatehouse's.
private struct Allowing: Benchmark_V1.PermissionsService {
  func check(
    _ request: Benchmark_V1.CheckRequest,
    _ call: CallContext
  ) async throws -> Benchmark_V1.CheckResponse {
    Benchmark_V1.CheckResponse(allowed: true, reason: request.subject)
  }
}

@Suite("The life of a service in its host", .timeLimit(.minutes(1)))
struct ServiceHostTests {
  @Test("Work that comes to an end does not end the service; a signal does, and closes the store")
  func run_workEnds_servesUntilASignal() async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let script = Script()
    let (signals, sender) = AsyncStream<ProcessSignal>.makeStream()
    let host = try await Self.host(script, on: loops)
    async let ended: Void = host.run(signals: signals) { _ in script.teller.yield("ready") }
    var told = script.events.makeAsyncIterator()
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

  @Test("A service brings the types of its own contract: it is called with JSON like ours")
  func run_contractOfItsOwn_isCalledWithJSON() async throws {
    let answer = try await Self.answer(toSubject: "usr_ada")
    #expect(answer.status == 200)
    #expect(String(decoding: answer.body, as: UTF8.self) == #"{"allowed":true,"reason":"usr_ada"}"#)
  }

  @Test(
    "Answers are compressed for whom can read it, if the setting says so",
    arguments: [true, false]
  )
  func run_compression_compressesLongAnswers(isOn: Bool) async throws {
    let subject = String(repeating: "s", count: 5000)
    let answer = try await Self.answer(toSubject: subject, ["compression": .boolean(isOn)])
    #expect(answer.fields["content-encoding"] == (isOn ? "gzip" : nil))
    #expect((answer.body.count < 1000) == isOn)
  }

  @Test("Its health, which gateways ask for, is what its readiness says")
  func run_readinessChanges_healthFollows() async throws {
    let script = Script()
    try await Self.serving(script) { address, loops in
      try await withChannel("tcp://\(address)", .init(loops: loops)) { channel in
        let client = Grpc_Health_V1.HealthClient(channel)
        var statuses = client.watch(Grpc_Health_V1.HealthCheckRequest()).makeAsyncIterator()
        // It may be asked before it has begun to serve.
        while let status = try await statuses.next()?.status, status != .serving {}
        script.isReady = false
        #expect(try await statuses.next()?.status == .notServing)
        script.isReady = true
        #expect(try await statuses.next()?.status == .serving)
      }
    }
  }

  /// What a service with these settings answers a client that reads gzip.
  private static func answer(
    toSubject subject: String,
    _ settings: [String: JSONValue] = [:]
  ) async throws -> HTTPFetch.Answer {
    try await serving(Script(), settings) { address, _ in
      var fetch = HTTPFetch(
        url: "http://\(address)/benchmark.v1.Permissions/Check",
        addresses: .loopback
      )
      fetch.allowsPlaintext = true
      fetch.contentType = "application/json"
      fetch.fields = [.init(name: "accept-encoding", value: "gzip")]
      fetch.content = Array(#"{"subject":"\#(subject)"}"#.utf8)
      return try await fetch.run()
    }
  }

  /// Runs a service with these settings until `body`, which gets its address, is done.
  private static func serving<Result: Sendable>(
    _ script: Script,
    _ settings: [String: JSONValue] = [:],
    _ body: (SocketAddress, EventLoopGroup) async throws -> Result
  ) async throws -> Result {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let (signals, sender) = AsyncStream<ProcessSignal>.makeStream()
    let (addresses, address) = AsyncStream<SocketAddress>.makeStream()
    let host = try await Self.host(script, settings, on: loops)
    async let ended: Void = host.run(signals: signals) { bound in address.yield(bound[0]) }
    var iterator = addresses.makeAsyncIterator()
    let result = try await body(try #require(await iterator.next()), loops)
    sender.yield(.terminate)
    try await ended
    return result
  }

  /// A host that listens on a port of its own.
  private static func host(
    _ script: Script,
    _ members: [String: JSONValue] = [:],
    on loops: EventLoopGroup
  ) async throws -> ServiceHost<TellingProgram> {
    var object = JSONObject()
    object["admin"] = false
    object["database"] = "none"
    for (name, value) in members { object[name] = value }
    var settings = try ConfigurationReader.decode(.object(object)) {
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
    return try await ServiceHost<TellingProgram>(script, in: environment)
  }
}
