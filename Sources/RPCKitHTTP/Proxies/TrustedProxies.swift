package import RPCKit

/// Proxies that are believed when they tell for whom they make a request, and how they tell it.
///
/// Each proxy writes the address of its own peer behind what it received, so what stands on the right was written by
/// the nearest one. Entries are read from there for as long as they name proxies that are trusted, too; the first
/// that does not is the client, and what it claims further left is not looked at. Nothing is trusted by default,
/// because anyone who chooses its own address has no limit.
package struct TrustedProxies: Hashable, Sendable {
  /// The header field in which proxies tell the client.
  ///
  /// Only one counts: a proxy that writes the one passes on what a client put into the other.
  package enum Field: String, Hashable, Sendable, CaseIterable {
    /// `X-Forwarded-For`, a list of addresses.
    case xForwardedFor = "x-forwarded-for"
    /// `Forwarded` (RFC 7239).
    case forwarded
  }

  /// Proxies between a client and the server that are looked through, at most.
  static let hopCountMax = 32

  /// Addresses of proxies.
  package var networks: [AddressNetwork] = []
  /// Whether peers on Unix sockets are proxies.
  package var includesUnixSockets = false
  /// Where they tell the client.
  package var field = Field.xForwardedFor

  /// No proxy is trusted.
  package init() {}

  /// Whether anyone who is at the other end of a connection is one of them.
  func contains(_ peer: Peer) -> Bool {
    guard let address = SocketAddress(ofPeer: peer.address) else {
      return includesUnixSockets && peer.address == "unix"
    }
    return contains(address)
  }

  private func contains(_ address: SocketAddress) -> Bool {
    networks.contains { $0.contains(address) }
  }

  /// For whom one of them makes a request; nil for a request of its own, which names nobody.
  ///
  /// What cannot be read says that there is a client, and not which: it then counts with all others of that kind as
  /// the proxy, so that nobody escapes a limit by garbage.
  func client(of fields: HTTPFields, through proxy: Peer) -> ForwardedClient? {
    let lines = fields.values(field.rawValue)
    guard !lines.isEmpty else { return nil }
    var hops = ForwardedHops(lines, field)
    var farthest: SocketAddress?
    for _ in 0..<Self.hopCountMax {
      switch hops.next() {
      case .address(let address):
        farthest = address
        guard contains(address) else { return ForwardedClient(address) }
      case .unreadable: return ForwardedClient(unknownBehind: proxy)
      // All are proxies: the first of them made the request itself.
      case .end:
        return farthest.map { ForwardedClient($0) } ?? ForwardedClient(unknownBehind: proxy)
      }
    }
    return ForwardedClient(unknownBehind: proxy)
  }
}
