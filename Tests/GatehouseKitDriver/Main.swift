import Foundation
import GatehouseKit
import Synchronization

/// An app without a screen: it reads a command a line, and answers each with a line.
///
/// `scripts/app_kit` starts it against real services, and kills it.
@main
struct Driver {
  let gatehouse: Gatehouse

  static func main() async {
    let driver = Driver()
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      guard let command = words.first else { continue }
      do {
        answer("ok \(try await driver.run(command, Array(words.dropFirst())))")
      } catch {
        answer("error \(driver.text(error))")
      }
    }
  }

  /// At once, and not when a buffer is full.
  private static func answer(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  init() {
    let environment = ProcessInfo.processInfo.environment
    let folder = URL(fileURLWithPath: environment["DRIVER_DATA"] ?? ".")
    let addresses = (environment["DRIVER_SERVICES"] ?? "").split(separator: ",")
      .compactMap { URL(string: String($0)) }
    precondition(addresses.count == 3, "DRIVER_SERVICES has three addresses")
    gatehouse = Gatehouse(
      Configuration(
        gateway: Gateway(
          auth: addresses[0],
          tenancy: addresses[1],
          entitlement: addresses[2]
        ),
        appVersion: "Driver 1.0",
        deviceName: environment["DRIVER_NAME"] ?? "Driver"
      ),
      secrets: FileStore(folder: folder.appendingPathComponent("secrets")),
      cache: FileStore(folder: folder.appendingPathComponent("cache"))
    )
    gatehouse.makeCurrent()
  }

  private static let password = "correct horse battery 9"

  private struct Entity: Encodable {
    var type: String
    var name: String
    var parentId: String?
  }

  private struct NewEntity: Encodable { var entity: Entity }

  private struct Made: Decodable, Sendable { var id: String }

  private struct Person: Decodable, Sendable { var id: String }

  private func run(_ command: String, _ words: [String]) async throws -> String {
    let account = gatehouse.account
    switch command {
    case "restore": await account.restore()
    case "sign-up":
      try await account.signUp(
        email: "\(words[0])@example.com",
        password: Self.password,
        displayName: words[0]
      )
    case "sign-in":
      try await account.signIn(email: "\(words[0])@example.com", password: Self.password)
    case "sign-out": return "\(try await account.signOut(everywhere: words.first == "everywhere"))"
    case "retry": await account.retryNow()
    case "select": try await account.select(words[0])
    case "run": Task { await gatehouse.run() }
    case "make": return try await make(words)
    case "allows":
      return "\(gatehouse.rights.permission(Action(rawValue: words[0])).isAllowed)"
    case "refresh": try await gatehouse.rights.refresh()
    case "tier": return gatehouse.rights.tier ?? "unknown"
    case "send": return try await send(words)
    case "permissions":
      return bits(words) { Permission(Action(rawValue: $0), in: gatehouse).wrappedValue }
    case "features":
      return bits(words) { FeatureFlag(Feature(rawValue: $0), in: gatehouse).wrappedValue }
    case "roles": return bits(words) { HasRole(Role(rawValue: $0), in: gatehouse).wrappedValue }
    case "fields":
      return bits(Array(words.dropFirst())) {
        gatehouse.rights.canViewField(Field(rawValue: $0), of: words[0])
      }
    case "calls": return await calls(Int(words[0]) ?? 1)
    case "live":
      for await connection in gatehouse.live.connections where connection == .live { break }
    case "until": return await until(words[0])
    case "state": break
    default: preconditionFailure("the driver knows no \(command)")
    }
    return text(account.state)
  }

  /// What property wrappers say of each name: `101`.
  private func bits(_ names: [String], _ isTrue: (String) -> Bool) -> String {
    names.map { isTrue($0) ? "1" : "0" }.joined()
  }

  /// Sends any call, `POST path {json}`, and answers with its `data`.
  private func send(_ words: [String]) async throws -> String {
    guard let method = Call.Method(rawValue: words[0]) else { return "no method" }
    var call = Call(method, words[1])
    if words.count > 2 { call.body = Data(words[2...].joined(separator: " ").utf8) }
    let answer = try await gatehouse.call(call, as: JSONValue.self)
    return String(bytes: try JSONEncoder().encode(answer), encoding: .utf8) ?? ""
  }

  private func text(_ state: AccountState) -> String {
    switch state {
    case .unknown: "unknown"
    case .signedOut(let reason): "signedOut \(reason.rawValue)"
    case .signedIn(let id, let user): "signedIn \(id) \(user?.displayName ?? "-")"
    }
  }

  private func text(_ error: any Error) -> String {
    guard let error = error as? KitError else { return "\(error)" }
    return "\(error.kind.rawValue) \(error.endReason?.rawValue ?? error.reason)"
  }

  /// Waits for a state of the account: `signedIn`, `signedOut`.
  private func until(_ wanted: String) async -> String {
    for await state in gatehouse.account.states where text(state).hasPrefix(wanted) {
      return text(state)
    }
    return text(gatehouse.account.state)
  }

  /// Makes calls at the same time, and counts what came: `64 usr_…`, `2 offline`.
  private func calls(_ count: Int) async -> String {
    await withTaskGroup { group in
      for _ in 0..<count {
        group.addTask { [gatehouse] in
          do {
            return try await gatehouse.call(Call(.get, "users/me"), as: Person.self).id
          } catch {
            return text(error)
          }
        }
      }
      var counts: [String: Int] = [:]
      for await result in group { counts[result, default: 0] += 1 }
      return counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        .joined(separator: ", ")
    }
  }

  private func make(_ words: [String]) async throws -> String {
    let parent = words.count > 2 ? words[2] : nil
    let body = NewEntity(entity: Entity(type: words[0], name: words[1], parentId: parent))
    let call = try Call(.post, "entities", body: body).once()
    return try await gatehouse.call(call, as: Made.self).id
  }
}
