public import Foundation

/// Where the services are: one address behind a gateway, or three on a developer's machine.
public struct Gateway: Sendable {
  private let auth: URL
  private let tenancy: URL
  private let entitlement: URL

  /// The address of a gateway, such as `https://api.example.com`.
  public init(_ url: URL) {
    self.init(auth: url, tenancy: url, entitlement: url)
  }

  /// The address of each service, for development without a gateway.
  public init(auth: URL, tenancy: URL, entitlement: URL) {
    self.auth = auth
    self.tenancy = tenancy
    self.entitlement = entitlement
  }

  private static let entitlementNames: Set<String> = [
    "entitlements", "iap", "points", "subscriptions", "tiers",
  ]
  private static let authNames: Set<String> = ["auth", "deletions", "operators", "users"]

  /// The URL of a path below `/api/v1/`, whose segments are escaped already.
  func url(path: String, query: [(String, String)]) -> URL? {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    let name = String(segments.first?.prefix(while: { $0 != ":" }) ?? "")
    let isOthers =
      segments.starts(with: ["users", "me", "associations"])
      || segments.starts(with: ["users", "me", "invitations"])
    var base = tenancy
    if Self.authNames.contains(name), !isOthers { base = auth }
    if Self.entitlementNames.contains(name) { base = entitlement }
    var text = base.absoluteString
    while text.hasSuffix("/") { text.removeLast() }
    text += "/api/v1/" + path
    if !query.isEmpty {
      text +=
        "?"
        + query.map { "\(Escaping.escaped($0.0))=\(Escaping.escaped($0.1))" }.joined(separator: "&")
    }
    return URL(string: text)
  }
}
