import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Foundation
import Glibc
import RPCKit
import ServiceKit
import Testing

@testable import AuthService
@testable import ServiceTesting

/// The three services as an operator sets them up: keys, secrets, settings, stores, ports.
struct Installation: Sendable {
  let auth: ServiceProcess
  let tenancy: ServiceProcess
  let entitlement: ServiceProcess
  let loops: EventLoopGroup
  let folder: TemporaryFolder
  private let keys: [String: SigningKey]

  var all: [ServiceProcess] { [auth, tenancy, entitlement] }

  /// Runs `body` with three services that are ready, and ends them all.
  ///
  /// With `push`, the services reach one another through it; with `policy`, it is that of another
  /// product; `auth` is what AuthService's settings have besides, `settings` what those of each service have, by
  /// its name.
  static func run(
    through push: PushBreaker? = nil,
    policy: String? = nil,
    auth: [String: JSONValue] = [:],
    settings: [String: [String: JSONValue]] = [:],
    _ body: (Installation) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let settings = settings.merging(["auth": auth]) { $0.merging($1) { _, new in new } }
    let installation = try await make(
      in: folder,
      on: loops,
      through: push,
      policy: policy,
      settings
    )
    do {
      try await body(installation)
      await installation.end()
    } catch {
      for service in installation.all { print(folder.end(of: "\(service.name).log")) }
      await installation.end()
      throw error
    }
  }

  /// Makes and starts one; another time on other ports when somebody else took one meanwhile.
  private static func make(
    in folder: TemporaryFolder,
    on loops: EventLoopGroup,
    through push: PushBreaker?,
    policy: String?,
    _ settings: [String: [String: JSONValue]]
  ) async throws -> Installation {
    var attempt = 0
    while true {
      attempt += 1
      let installation = try await Installation(
        in: folder,
        on: loops,
        through: push,
        policy: policy,
        settings
      )
      do {
        // In this order nobody looks in vain for another one.
        for service in installation.all { try await service.start() }
        try await installation.findOneAnother()
        return installation
      } catch {
        await installation.end()
        guard attempt < 3 else { throw error }
      }
    }
  }

  /// Waits until AuthService, which starts before those it asks, has heard of them.
  ///
  /// Until its next attempt it would answer that they are away.
  private func findOneAnother() async throws {
    let isFound = await auth.eventually {
      let log = folder.end(of: "auth.log")
      return !log.contains("push stream lost") || log.contains("push stream resumed")
    }
    guard isFound else {
      throw ChildProcess.Failure(
        description: "AuthService finds nobody:\n\(folder.end(of: "auth.log"))"
      )
    }
  }

  private init(
    in folder: TemporaryFolder,
    on loops: EventLoopGroup,
    through push: PushBreaker?,
    policy: String?,
    _ settings: [String: [String: JSONValue]]
  ) async throws {
    self.folder = folder
    self.loops = loops
    var ports: [String: UInt16] = [:]
    var services: [String: ServiceProcess] = [:]
    for name in ["auth", "tenancy", "entitlement"] {
      let port = try await Self.freePort(on: loops, except: Set(ports.values))
      ports[name] = port
      services[name] = try ServiceProcess(name, port: port, in: folder, on: loops)
    }
    // The fourth pays for subscriptions; it exists only here.
    keys = Dictionary(
      uniqueKeysWithValues: ["auth", "tenancy", "entitlement", "billing"].map {
        ($0, SigningKey.generate())
      }
    )
    guard let auth = services["auth"], let tenancy = services["tenancy"],
      let entitlement = services["entitlement"]
    else { preconditionFailure("all three were just made") }
    (self.auth, self.tenancy, self.entitlement) = (auth, tenancy, entitlement)
    push?.forward(auth: auth.channel, tenancy: tenancy.channel)
    try writeKeys()
    try writeSettings(ports, push: push, policy: policy, settings)
  }

  /// The application whose purchases count.
  static let bundleID = "com.unifiedsmarthome.app"

  private func writeKeys() throws {
    try folder.write(TestAuthority.shared.get().root.der, to: "apple.der")
    try folder.write(AuthSecrets.generate(SystemRandomSource()), to: "secrets.json")
    for (name, key) in keys {
      try folder.write(key.pem, to: "\(name).private.pem")
      try folder.write(key.verificationKey.pem, to: "\(name).public.pem")
    }
  }

  private func writeSettings(
    _ ports: [String: UInt16],
    push: PushBreaker?,
    policy: String?,
    _ besides: [String: [String: JSONValue]]
  ) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    let own: [String: [String: JSONValue]] = [
      "auth": [
        "secrets": .string(folder.file("secrets.json")),
        // The cheapest that there is: many sign in, and none of the passwords is worth anything.
        "password_hash": ["memory_kib": 8, "passes": 1],
        "passkeys": [
          "relying_party_id": "localhost",
          "origins": ["http://localhost:8080"],
        ],
        "deletion": ["grace_hours": 0],
      ],
      "tenancy": ["policy": .string(folder.file("policy.json"))],
      "entitlement": [
        "catalog": .string("\(root)/tiers/default.json"),
        "apple": [
          "bundle_id": .string(Self.bundleID), "apple_id": 1,
          "test_roots": [.string(folder.file("apple.der"))],
        ],
      ],
    ]
    // A copy, for tests that change it.
    let smartHome = "\(root)/policies/smart-home.json"
    try folder.write(
      try policy ?? String(contentsOfFile: smartHome, encoding: .utf8),
      to: "policy.json"
    )
    for (name, port) in ports {
      var peers: [String: String] = [:]
      for (peer, port) in ports where peer != name {
        peers[peer] = "tcp://127.0.0.1:\(name == "auth" ? port : push?.port ?? port)"
      }
      var settings = (own[name] ?? [:]).merging(besides[name] ?? [:]) { _, new in new }
      settings["listen"] = [.string("127.0.0.1:\(port)")]
      settings["admin"] = false
      settings["loops"] = 1
      settings["database"] = .string(folder.file("\(name).db"))
      settings["peers"] = Self.object(peers)
      settings["service_keys"] = Self.object(
        keys.keys.filter { $0 != name }.reduce(into: [:]) {
          $0[$1] = folder.file("\($1).public.pem")
        },
        ownKey: folder.file("\(name).private.pem")
      )
      try folder.write(JSONValue(members: settings).indentedText, to: "\(name).json")
    }
  }

  private static func object(_ texts: [String: String]) -> JSONValue {
    JSONValue(members: texts.mapValues { .string($0) })
  }

  private static func object(_ trusted: [String: String], ownKey: String) -> JSONValue {
    ["private_key": .string(ownKey), "trusted": object(trusted)]
  }

  /// A port that nobody listens at, below those that the kernel gives to clients (ip(7)).
  static func freePort(
    on loops: EventLoopGroup,
    except taken: Set<UInt16> = []
  ) async throws
    -> UInt16
  {
    for _ in 0..<100 {
      let port = UInt16.random(in: 15_000..<32_000)
      guard !taken.contains(port) else { continue }
      // Somebody listens there: the next one.
      let listener = try? await SocketNetwork().listen(
        at: .ipv4([127, 0, 0, 1], port: port),
        on: loops.loops[0]
      ) { _ in }
      guard let listener else { continue }
      listener.close()
      return port
    }
    throw ChildProcess.Failure(description: "no port is free")
  }

  /// Ends everything that runs.
  private func end() async {
    for service in all { service.send(SIGCONT) }
    for service in all { service.send(SIGTERM) }
    for service in all where await service.ending(within: .seconds(5)) == nil {
      service.send(SIGKILL)
      _ = await service.ending()
    }
    for service in all { await service.channel.close() }
  }

  /// What a service shows besides a call of its own.
  func options(of service: String, to audience: String) -> CallOptions {
    guard let key = keys[service] else { preconditionFailure("there is no service \(service)") }
    let issuer = ServiceTokenIssuer(
      name: service,
      key: key,
      clock: SystemWallClock(),
      random: SystemRandomSource()
    )
    return CallOptions(
      timeout: .seconds(10),
      metadata: ["service-authorization": "Bearer \(issuer.token(for: audience))"]
    )
  }
}

extension JSONValue {
  fileprivate init(members: [String: JSONValue]) {
    var object = JSONObject()
    for (name, value) in members.sorted(by: { $0.key < $1.key }) { object[name] = value }
    self = .object(object)
  }
}
