internal import TextEncodings

/// All addresses that begin with the same bits, as CIDR writes them: `10.0.0.0/8`, `2001:db8::/32` (RFC 4632,
/// RFC 4291 section 2.3).
package struct AddressNetwork: Hashable, Sendable {
  /// Four bytes or sixteen; zero behind the prefix.
  private let bytes: [UInt8]
  private let bitCount: Int

  /// Addresses of IPv4 that begin with `bitCount` bits of `prefix`.
  package init(ipv4 prefix: [UInt8], _ bitCount: Int) {
    self.init(prefix, bitCount, byteCount: 4)
  }

  /// Addresses of IPv6 that begin with `bitCount` bits of `prefix`.
  package init(ipv6 prefix: [UInt8], _ bitCount: Int) {
    self.init(prefix, bitCount, byteCount: 16)
  }

  private init(_ prefix: [UInt8], _ bitCount: Int, byteCount: Int) {
    bytes = Array((prefix + [UInt8](repeating: 0, count: byteCount)).prefix(byteCount))
    self.bitCount = bitCount
  }

  /// Parses a network, or one address; nil for anything else, and for a network with bits behind its prefix, which
  /// is likely a mistake.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let host = parts.first, let address = SocketAddress(host: String(host), port: 0),
      let bytes = address.hostBytes
    else { return nil }
    var bitCount = bytes.count * 8
    if parts.count == 2 {
      let digits = parts[1].utf8
      guard (1...3).contains(digits.count),
        digits.allSatisfy(\.isASCIIDigit),
        let count = Int(parts[1]), count <= bitCount
      else { return nil }
      bitCount = count
    }
    self.bytes = bytes
    self.bitCount = bitCount
    guard zip(bytes, Self.masked(bytes, bitCount)).allSatisfy({ $0 == $1 }) else { return nil }
  }

  /// Whether the network is a single address.
  package var isOneAddress: Bool { bitCount == bytes.count * 8 }

  /// Whether the network is all addresses of its kind.
  package var isEverything: Bool { bitCount == 0 }

  /// Whether an address is one of the network; never for a Unix socket.
  package func contains(_ address: SocketAddress) -> Bool {
    guard let host = address.hostBytes, host.count == bytes.count else { return false }
    for (place, byte) in bytes.enumerated() {
      let bits = min(8, bitCount - place * 8)
      guard bits > 0 else { return true }
      guard (host[place] ^ byte) >> (8 - bits) == 0 else { return false }
    }
    return true
  }

  private static func masked(_ bytes: [UInt8], _ bitCount: Int) -> [UInt8] {
    bytes.enumerated().map { place, byte in
      let bits = max(0, min(8, bitCount - place * 8))
      return bits == 0 ? 0 : (byte >> (8 - bits)) << (8 - bits)
    }
  }
}

extension SocketAddress {
  /// An IPv4 address written as an IPv6 one, as sockets for both show it (RFC 4291, section 2.5.5.2).
  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  /// The address itself, without the port; the IPv4 address of one that is mapped to IPv6, nil for a Unix socket.
  package var hostBytes: [UInt8]? {
    switch self {
    case .ipv4(let bytes, _): bytes
    case .ipv6(let bytes, _): bytes.starts(with: Self.mappedPrefix) ? Array(bytes.suffix(4)) : bytes
    case .unix: nil
    }
  }

  /// Reads what a transport says of its peer: `127.0.0.1:4040`, `[::1]:4040`; nil for anything else.
  package init?(ofPeer text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    self.init(host: String(host), port: port)
  }
}
