import RPCKit
import Testing

@testable import ServiceKit

@Suite("What a service says of a reload")
struct ServiceReloadTests {
  /// Whether the rules have a mistake now, and what they are called in the settings.
  private final class Rules: Sendable {
    let areBad = Lock(false)
    let name: String

    init(name: String) { self.name = name }
  }

  /// The rules that were loaded, by their names.
  private static let loaded = Lock<[String]>([])

  private struct BadRules: Error, CustomStringConvertible {
    var description: String { "rules.json: line 3: no such role" }
  }

  /// A service that serves nothing, and whose rules load while they have no mistake.
  private enum RuledService: HostedService {
    static let identity = ServiceIdentity(name: "ruled", summary: "", port: 1, adminPort: 2)
    static let store = StoreDefinition(applicationID: 1, migrations: [])
    static let reloadedSettings = ["rules"]

    static func settings(_ members: inout JSONMembers) throws(JSONDecodingError) -> Rules {
      Rules(name: "first")
    }

    static func open(
      _ rules: Rules,
      in environment: ServiceEnvironment
    ) async throws -> OpenService<Rules> {
      OpenService(
        services: [],
        interceptors: [],
        work: [],
        readiness: { Readiness([]) },
        reload: { current in
          if current.areBad.withLock({ $0 }) { throw BadRules() }
          loaded.withLock { $0.append(current.name) }
        },
        peers: [],
        closeStore: {}
      )
    }
  }

  private let sink = CollectingSink()
  private let rules = Rules(name: "first")
  private let otherRules = Rules(name: "second")

  private func waitForLine(_ text: String) async {
    while !sink.lines.contains(where: { $0.contains(text) }) { await Task.yield() }
  }

  @Test("It names what was read again, what failed, and what needs a restart")
  func reload_isToldBySetting() async throws {
    let json: JSONValue = ["listen": ["127.0.0.1:0"], "admin": false]
    let settings = try ConfigurationReader.decode(json) { (members) throws(JSONDecodingError) in
      try ServiceSettings(&members, name: "ruled", port: 1, adminPort: 2)
    }
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let environment = ServiceEnvironment(
      name: "ruled",
      settings: settings,
      logger: Logger(label: "ruled", level: .notice, sink: sink),
      metrics: RPCMetrics(registry: MetricRegistry(), version: "test"),
      loops: loops
    )
    let changed = Lock<[String]>([])
    let current = Lock(rules)
    let host = try await ServiceHost<RuledService>(
      rules,
      in: environment,
      currentSettings: { current.withLock { $0 } },
      changedSettings: { changed.withLock { $0 } }
    )
    let (signals, sender) = AsyncStream<ProcessSignal>.makeStream()
    let running = Task { try await host.run(signals: signals) { _ in } }
    sender.yield(.hangUp)
    await waitForLine(#""message":"reloaded","settings":"rules service_keys""#)
    #expect(!sink.lines.contains { $0.contains("restart") || $0.contains("failed") })

    // The setting names other rules now, which come into force without a restart.
    current.withLock { $0 = otherRules }
    otherRules.areBad.withLock { $0 = true }
    changed.withLock { $0 = ["log.level", "rules"] }
    sender.yield(.hangUp)
    await waitForLine(#""settings":"log.level""#)
    let failure = sink.lines.first { $0.contains("reload failed") } ?? ""
    #expect(failure.contains(#""level":"error""#) && failure.contains(#""settings":"rules""#))
    #expect(failure.contains("rules.json: line 3: no such role"))
    #expect(sink.lines.contains { $0.contains(#""message":"reloaded","settings":"service_keys""#) })
    let restart = sink.lines.first { $0.contains("settings changed that need a restart") } ?? ""
    #expect(restart.contains(#""level":"warning""#))
    otherRules.areBad.withLock { $0 = false }
    sender.yield(.hangUp)
    while Self.loaded.withLock({ $0 }) != ["first", "second"] { await Task.yield() }
    sender.finish()
    try await running.value
  }

  @Test("Settings that were added, removed or changed are named by their paths")
  func changedSettings_arePaths() throws {
    func value(_ text: String) throws -> JSONValue {
      try JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 4096))
    }
    let old = try value(
      #"{"log": {"level": "info"}, "loops": 2, "listen": ["a", "b"], "peers": {"auth": "x"}}"#
    )
    let new = try value(
      #"{"log": {"level": "debug"}, "loops": 2, "listen": ["b", "a"], "tls": {"key": "k"}}"#
    )
    #expect(
      ChangedSettings.paths(old, new) == ["listen", "log.level", "peers", "tls"]
    )
    #expect(ChangedSettings.paths(old, old) == [])
  }
}
