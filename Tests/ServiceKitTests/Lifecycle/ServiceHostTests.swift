import Contracts
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
      services: [Allowing().definition],
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
    let (events, teller) = AsyncStream<String>.makeStream()
    let (signals, sender) = AsyncStream<ProcessSignal>.makeStream()
    let host = try await Self.host(teller, on: loops)
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

  /// What a service with these settings answers a client that reads gzip.
  private static func answer(
    toSubject subject: String,
    _ settings: [String: JSONValue] = [:]
  ) async throws -> HTTPFetch.Answer {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let (_, teller) = AsyncStream<String>.makeStream()
    let (signals, sender) = AsyncStream<ProcessSignal>.makeStream()
    let (addresses, address) = AsyncStream<SocketAddress>.makeStream()
    let host = try await Self.host(teller, settings, on: loops)
    async let ended: Void = host.run(signals: signals) { bound in address.yield(bound[0]) }
    var iterator = addresses.makeAsyncIterator()
    let bound = try #require(await iterator.next())
    var fetch = HTTPFetch(
      url: "http://\(bound)/benchmark.v1.Permissions/Check",
      addresses: .loopback
    )
    fetch.allowsPlaintext = true
    fetch.contentType = "application/json"
    fetch.fields = [.init(name: "accept-encoding", value: "gzip")]
    fetch.content = Array(#"{"subject":"\#(subject)"}"#.utf8)
    let answer = try await fetch.run()
    sender.yield(.terminate)
    try await ended
    return answer
  }

  /// A host that listens on a port of its own.
  private static func host(
    _ teller: AsyncStream<String>.Continuation,
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
    return try await ServiceHost<TellingProgram>(teller, in: environment)
  }
}
