internal import RPCKit
internal import ServiceKit

/// The cookie with the refresh token of the console's session.
///
/// `__Host-` has browsers take it from this host alone, over TLS (or from localhost) and for all paths; no script
/// reads it, and no request that another site began has it.
enum ConsoleCookie {
  private static let name = "__Host-gatehouse"
  private static let attributes = "Path=/; Secure; HttpOnly; SameSite=Strict"

  /// Has the browser forget it.
  static let removal = "\(name)=; Max-Age=0; \(attributes)"

  /// Has the browser keep a token until its session ends.
  static func setting(_ token: String, until end: Google_Protobuf.Timestamp?, now: Int64) -> String
  {
    let seconds = end.map { max(0, $0.milliseconds - now) / 1000 } ?? 0
    return "\(name)=\(token); Max-Age=\(seconds); \(attributes)"
  }

  /// The token that a request has brought; nil for none, or for two of the name.
  static func value(in metadata: Metadata) -> String? {
    let pairs = metadata.entries.filter { $0.key == "cookie" }.flatMap { entry in
      entry.value.split(separator: ";").map { $0.drop { $0 == " " } }
    }
    let values = pairs.filter { $0.hasPrefix("\(name)=") }.map { $0.dropFirst(name.utf8.count + 1) }
    guard values.count == 1, !values[0].isEmpty else { return nil }
    return String(values[0])
  }
}
