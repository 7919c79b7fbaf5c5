import Foundation
import GatehouseKit
import Synchronization

/// The kit of an app on a device, with a server by script.
struct Stage: Sendable {
  let time = ManualTime()
  let transport = ScriptedTransport()
  let secrets = MemoryStore()
  let cache = MemoryStore()
  let gatehouse: Gatehouse
  private let refreshes = Counter()

  final class Counter: Sendable {
    private let value = Mutex(0)
    func next() -> Int {
      value.withLock { value in
        value += 1
        return value
      }
    }
  }

  init(
    secrets: (any SecretStore)? = nil,
    offline: OfflineRules = OfflineRules()
  ) {
    gatehouse = Gatehouse(
      Configuration(
        gateway: Gateway(Self.url),
        appVersion: "App 1",
        deviceName: "Phone",
        offline: offline
      ),
      secrets: secrets ?? self.secrets,
      cache: cache,
      transport: transport,
      time: time
    )
    script()
  }

  static let url = URL(string: "https://api.example.com") ?? URL(fileURLWithPath: "/")

  /// The kit of the same device after a restart of the app.
  func restarted() -> Gatehouse {
    Gatehouse(
      Configuration(gateway: Gateway(Self.url), appVersion: "App 1"),
      secrets: secrets,
      cache: cache,
      transport: transport,
      time: time
    )
  }

  /// A server at which all is well.
  private func script() {
    transport.on("POST auth/login") { [time] request in
      let body = String(bytes: request.body ?? Data(), encoding: .utf8) ?? ""
      let name = body.contains("ben@") ? "ben" : "ada"
      return .success(
        #"{"tokens": \#(Self.tokens("\(name)-0", time)), "user": \#(Self.user(name))}"#,
        at: time.wall
      )
    }
    transport.on("POST auth/refresh") { [time, refreshes] _ in
      .success(Self.tokens("ada-\(refreshes.next())", time), at: time.wall)
    }
    transport.on("GET users/me") { [time] _ in .success(Self.user("ada"), at: time.wall) }
    transport.on("POST auth/logout", .success("{}"))
    transport.on("GET permissions") { [time] _ in
      .success(Self.permissions(["view"], time), at: time.wall)
    }
    transport.on("GET entitlements") { [time] _ in .success(Self.plan(time), at: time.wall) }
    transport.on("GET thing", .success(#"{"name": "thing"}"#))
  }

  /// Tokens that live 600 s, named for a test to see which are in use.
  static func tokens(_ name: String, _ time: ManualTime, lifetime: Double = 600) -> String {
    let end = text(time.wall.addingTimeInterval(lifetime))
    let later = text(time.wall.addingTimeInterval(2_592_000))
    return #"{"accessToken": "access-\#(name)", "accessTokenExpiresAt": "\#(end)", "#
      + #""refreshToken": "refresh-\#(name)", "refreshTokenExpiresAt": "\#(later)", "#
      + #""sessionId": "ses_1"}"#
  }

  static func user(_ name: String) -> String {
    #"{"id": "usr_\#(name)", "email": "\#(name)@example.com", "displayName": "\#(name)", "#
      + #""firstName": "", "lastName": "", "emailVerified": true, "revision": "1", "roles": ["#
      + #"{"id": "asc_1", "entityType": "organization", "entityId": "org_\#(name)", "#
      + #""role": "administrator", "holdsFeaturesAs": "organization"}]}"#
  }

  static func permissions(_ actions: [String], _ time: ManualTime) -> String {
    let until = text(time.wall.addingTimeInterval(300))
    let list = actions.map { "\"\($0)\"" }.joined(separator: ", ")
    return #"{"entities": [{"entityId": "hrs_1", "set": 0, "validUntil": "\#(until)"}], "#
      + #""sets": [{"entityType": "horse", "roles": ["groom"], "actions": [\#(list)], "#
      + #""appActions": ["viewHorses"], "appRoles": ["groom"], "#
      + #""visibleAttributes": ["chip_number"]}], "below": [{"entityType": "stable", "roles": [], "#
      + #""actions": ["stable.view"]}], "features": ["analytics"], "#
      + #""featuresEntityId": "org_ada", "validUntil": "\#(until)", "nextPageToken": ""}"#
  }

  static func plan(_ time: ManualTime) -> String {
    let until = text(time.wall.addingTimeInterval(300))
    return #"{"tier": "standard", "validUntil": "\#(until)", "entitlements": ["#
      + #"{"key": "analytics", "available": true}, "#
      + #"{"key": "lessons", "available": false, "unlockedBy": {"tier": "pro"}}, "#
      + #"{"key": "maxHorses", "available": true, "limit": {"maximum": "5"}}, "#
      + #"{"key": "maxMembers", "available": true, "limit": {"unlimited": true}}]}"#
  }

  static func text(_ date: Date) -> String { date.formatted(.iso8601) }

  @discardableResult
  func signIn(_ name: String = "ada") async throws -> User? {
    try await gatehouse.account.signIn(email: "\(name)@example.com", password: "pass phrase")
    return gatehouse.account.state.user
  }

  struct Thing: Decodable, Sendable { var name: String }

  @discardableResult
  func callThing() async throws -> Thing {
    try await gatehouse.call(Call(.get, "thing"), as: Thing.self)
  }
}
