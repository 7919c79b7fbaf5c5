internal import RPCKit
internal import ServiceKit

/// The addresses to which webhooks may lead.
///
/// The public Internet by TLS at port 443; an operator can open networks of the installation, which other ports and
/// plaintext lead to as well. Names are looked up for each attempt, and what counts is the address of the socket.
struct WebhookAddresses: Sendable {
  /// Bytes of an address.
  static let byteCountMax = 2048

  /// The networks that an operator has opened.
  var allowed: [AddressNetwork] = []
  /// The file with the authorities (PEM) instead of the system's.
  var authorities: String?

  /// The rule for connections to an address; nil for one that webhooks may not have.
  func rule(of url: String) -> AddressRule? {
    guard url.utf8.count <= Self.byteCountMax, !url.contains("#"),
      HTTPFetch.isURL(url, allowsPlaintext: !allowed.isEmpty)
    else { return nil }
    let isSecure = url.hasPrefix("https://")
    let authority = url.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
    guard let port = Self.port(of: authority) else { return nil }
    guard isSecure, port.isEmpty || port == "443" else {
      return allowed.isEmpty ? nil : .only(allowed)
    }
    return allowed.isEmpty ? .publicOnly : .publicAnd(allowed)
  }

  /// The port behind the host, empty for none; nil for an authority that is none.
  private static func port(of authority: Substring) -> Substring? {
    let host =
      authority.hasPrefix("[") ? authority.prefix { $0 != "]" } : authority.prefix { $0 != ":" }
    var rest = authority.dropFirst(host.count)
    if authority.hasPrefix("[") {
      guard rest.first == "]" else { return nil }
      rest = rest.dropFirst()
    }
    guard !host.isEmpty else { return nil }
    guard let colon = rest.first else { return "" }
    let port = rest.dropFirst()
    guard colon == ":", (1...5).contains(port.count), port.allSatisfy(\.isNumber) else {
      return nil
    }
    return port
  }
}
