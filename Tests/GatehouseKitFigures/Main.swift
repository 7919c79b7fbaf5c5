import Foundation
import GatehouseKit

/// Prints what permissions of many objects take: memory, and the time of a read.
@main
struct Figures {
  static let entityCount = 10_000
  static let readCount = 200_000

  static func main() async throws {
    // What decoding takes and gives back is there for the next ones already.
    var apps = [try await app(), try await app()]
    let before = residentKiB()
    for _ in 0..<10 { apps.append(try await app()) }
    let each = (residentKiB() - before) / 10
    print("permissions of \(entityCount) objects: \(each) KiB")
    report(apps[0])
  }

  /// An app that knows the permissions.
  static func app() async throws -> Gatehouse {
    let gatehouse = Gatehouse(
      Configuration(gateway: Gateway(Server.url), appVersion: "Figures 1.0"),
      secrets: MemoryStore(),
      cache: NoCache(),
      transport: Server()
    )
    try await gatehouse.account.signIn(email: "ada@example.com", password: "p")
    try await gatehouse.account.select("org_2")
    return gatehouse
  }

  /// The memory of this process, in KiB.
  static func residentKiB() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }

  static func report(_ gatehouse: Gatehouse) {
    let rights = gatehouse.rights
    let permission = Permission("manageLast", in: gatehouse)
    let flag = FeatureFlag("feature16", in: gatehouse)
    time("@Permission, anywhere") { _ in permission.wrappedValue }
    time("permission on an object") { number in
      rights.permission("manageLast", on: "hrs_\(number % entityCount)").isAllowed
    }
    time("role on an object") { number in
      rights.role("groom", on: "hrs_\(number % entityCount)").isAllowed
    }
    time("field of an object") { number in
      rights.canViewField("chipNumber", of: "hrs_\(number % entityCount)")
    }
    time("@FeatureFlag") { _ in flag.wrappedValue }
  }

  static func time(_ name: String, _ read: (Int) -> Bool) {
    var count = 0
    let took = ContinuousClock().measure {
      for number in 0..<readCount where read(number) { count += 1 }
    }
    let (seconds, attoseconds) = took.components
    let nanoseconds = Double(attoseconds) / 1e9 + Double(seconds) * 1e9
    precondition(count == readCount, "\(name) is not shown")
    print("\(name): \(Int(nanoseconds / Double(readCount))) ns")
  }
}

/// Keeps nothing, so that only what is in use is counted.
struct NoCache: CacheStore {
  func read(_ name: String) async -> Data? { nil }
  func write(_ name: String, _ value: Data) async throws {}
  func removeAll(prefix: String) async throws {}
}

/// Answers with the rights of many objects, page by page.
struct Server: Transport {
  static let url = URL(fileURLWithPath: "/")
  static let pageSize = 1000

  func open(_ request: HTTPRequest) -> AsyncThrowingStream<StreamPart, any Error> {
    AsyncThrowingStream { $0.finish() }
  }

  func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
    let data: String
    switch request.url.lastPathComponent {
    case "login": data = #"{"tokens": \#(Self.tokens), "user": \#(Self.user)}"#
    case "permissions": data = Self.page(of: request.url)
    default: data = Self.plan
    }
    return HTTPAnswer(status: 200, body: Data(#"{"status": "success", "data": \#(data)}"#.utf8))
  }

  private static let end = "2999-01-01T00:00:00Z"

  private static let tokens =
    #"{"accessToken": "a", "accessTokenExpiresAt": "\#(end)", "refreshToken": "r"}"#

  private static let user =
    #"{"id": "usr_1", "email": "", "displayName": "", "firstName": "", "lastName": "", "#
    + #""emailVerified": true, "revision": "1", "roles": []}"#

  private static var plan: String {
    let features = (1...16).map { #"{"key": "feature\#($0)", "available": true}"# }
    return #"{"tier": "pro", "entitlements": [\#(features.joined(separator: ", "))], "#
      + #""validUntil": "\#(end)"}"#
  }

  /// Each page has a set for each of eight kinds of objects, with 33 actions in both spellings.
  private static func page(of url: URL) -> String {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems
    let start = items?.first { $0.name == "pageToken" }?.value.flatMap(Int.init) ?? 0
    let next = start + pageSize < Figures.entityCount ? "\(start + pageSize)" : ""
    let entities = (start..<start + pageSize).map {
      #"{"entityId": "hrs_\#($0)", "set": \#($0 % 8), "validUntil": "\#(end)"}"#
    }
    let names = (1...32).map { #""manage\#($0)""# } + [#""manageLast""#]
    let actions = (1...32).map { #""stable.manage_\#($0)""# } + [#""stable.manage_last""#]
    let set =
      #"{"roles": ["groom"], "actions": [\#(actions.joined(separator: ", "))], "#
      + #""appActions": [\#(names.joined(separator: ", "))], "appRoles": ["groom"], "#
      + #""visibleAttributes": ["notes", "equipment", "chip_number"]}"#
    let sets = Array(repeating: set, count: 8).joined(separator: ", ")
    return #"{"entities": [\#(entities.joined(separator: ", "))], "sets": [\#(sets)], "#
      + #""below": [], "features": [], "validUntil": "\#(end)", "nextPageToken": "\#(next)"}"#
  }
}
