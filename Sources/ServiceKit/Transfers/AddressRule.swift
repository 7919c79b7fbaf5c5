package import RPCKit

/// Which addresses a transfer may connect to, after names were resolved.
package enum AddressRule: Hashable, Sendable {
  /// Every address.
  case any
  /// Those of this host alone.
  case loopback
  /// Those of the public Internet: a name of somebody else's must not lead to a service of this network.
  case publicOnly

  /// Whether it allows an address.
  package func allows(_ address: SocketAddress) -> Bool {
    switch self {
    case .any: true
    case .loopback: SourceAddress.isLoopback(address)
    case .publicOnly: Self.isPublic(SourceAddress.unwrapped(address))
    }
  }

  /// Whether an address is globally reachable by the registries of special addresses (RFC 6890).
  private static func isPublic(_ address: SocketAddress) -> Bool {
    switch address {
    case .ipv4(let bytes, _): !specialIPv4.contains { $0.contains(bytes) }
    // 2000::/3 is what is assigned for global use (RFC 4291, section 2.4).
    case .ipv6(let bytes, _):
      bytes[0] & 0xE0 == 0x20 && !specialIPv6.contains { $0.contains(bytes) }
    case .unix: false
    }
  }

  /// The addresses that begin with some bits.
  private struct Prefix: Sendable {
    let bytes: [UInt8]
    let bitCount: Int

    init(_ bytes: [UInt8], _ bitCount: Int) {
      self.bytes = bytes
      self.bitCount = bitCount
    }

    func contains(_ address: [UInt8]) -> Bool {
      for (place, byte) in bytes.enumerated() {
        let bits = min(8, bitCount - place * 8)
        guard bits > 0 else { return true }
        guard (address[place] ^ byte) >> (8 - bits) == 0 else { return false }
      }
      return true
    }
  }

  private static let specialIPv4 = [
    Prefix([0], 8), Prefix([10], 8), Prefix([100, 64], 10), Prefix([127], 8),
    Prefix([169, 254], 16),
    Prefix([172, 16], 12), Prefix([192, 0, 0], 24), Prefix([192, 0, 2], 24),
    Prefix([192, 88, 99], 24), Prefix([192, 168], 16), Prefix([198, 18], 15),
    Prefix([198, 51, 100], 24), Prefix([203, 0, 113], 24),
    // Multicast, and what is reserved or for all of a network.
    Prefix([224], 3),
  ]
  /// Protocols' own, documentation, and tunnels that have an IPv4 address in them.
  private static let specialIPv6 = [
    Prefix([0x20, 0x01, 0x00], 23), Prefix([0x20, 0x01, 0x0D, 0xB8], 32), Prefix([0x20, 0x02], 16),
    Prefix([0x3F, 0xFF, 0x00], 20),
  ]
}
