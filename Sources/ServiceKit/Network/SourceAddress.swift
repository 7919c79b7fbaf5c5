package import RPCKit

/// The source that attempts are counted for: an IPv4 address, the
/// 64 bits of an IPv6 address that name a household, or the user whose process is at the other end of a
/// Unix socket.
///
/// One subscriber has all 2^64 addresses behind such a prefix (RFC 6177), so counting each for itself
/// would count nothing.
package struct SourceAddress: Hashable, Sendable {
  /// The address without what is not counted: four bytes, or eight; more for a user of this host.
  package let bytes: [UInt8]

  /// An IPv4 address written as an IPv6 one, as sockets for both show it (RFC 4291, section 2.5.5.2).
  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
  /// An IPv4 address behind a translator (RFC 6052, section 2.1).
  private static let translatedPrefix: [UInt8] =
    [0, 0x64, 0xFF, 0x9B] + .init(repeating: 0, count: 8)

  /// Takes the part of `address` that is counted; nil for a Unix socket.
  package init?(_ address: SocketAddress) {
    switch Self.unwrapped(address) {
    case .ipv4(let bytes, _): self.bytes = bytes
    case .ipv6(let bytes, _): self.bytes = Array(bytes.prefix(8))
    case .unix: return nil
    }
  }

  /// Takes what a transport says of the user at the other end of a Unix socket: `unix:uid=1000`; nil
  /// for anything else.
  package init?(unixPeer source: String) {
    guard source.hasPrefix("unix:uid=") else { return nil }
    bytes = Array(source.utf8)
  }

  /// The IPv4 address in an IPv6 one that stands for it; without this all of them would be one.
  package static func unwrapped(_ address: SocketAddress) -> SocketAddress {
    guard case .ipv6(let bytes, let port) = address else { return address }
    let prefix = Array(bytes.prefix(12))
    guard prefix == mappedPrefix || prefix == translatedPrefix else { return address }
    return .ipv4(Array(bytes.suffix(4)), port: port)
  }

  /// Whether an address is one of the host itself.
  package static func isLoopback(_ address: SocketAddress) -> Bool {
    switch unwrapped(address) {
    case .ipv4(let bytes, _): bytes[0] == 127
    case .ipv6(let bytes, _): bytes == [UInt8](repeating: 0, count: 15) + [1]
    case .unix: true
    }
  }
}
