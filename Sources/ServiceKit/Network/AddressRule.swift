package import RPCKit

/// Which addresses a transfer may connect to, after names were resolved.
package enum AddressRule: Hashable, Sendable {
  /// Every address.
  case any
  /// Those of this host alone.
  case loopback
  /// Those of the public Internet: a name of somebody else's must not lead to a service of this network.
  case publicOnly
  /// Those of some networks alone.
  case only([AddressNetwork])
  /// Those of the public Internet, and of some networks besides.
  case publicAnd([AddressNetwork])

  /// Whether it allows an address.
  package func allows(_ address: SocketAddress) -> Bool {
    switch self {
    case .any: true
    case .loopback: SourceAddress.isLoopback(address)
    case .publicOnly: Self.isPublic(SourceAddress.unwrapped(address))
    case .only(let networks): Self.isOne(SourceAddress.unwrapped(address), of: networks)
    case .publicAnd(let networks):
      Self.isPublic(SourceAddress.unwrapped(address))
        || Self.isOne(SourceAddress.unwrapped(address), of: networks)
    }
  }

  private static func isOne(_ address: SocketAddress, of networks: [AddressNetwork]) -> Bool {
    networks.contains { $0.contains(address) }
  }

  /// Whether an address is globally reachable by the registries of special addresses (RFC 6890).
  private static func isPublic(_ address: SocketAddress) -> Bool {
    switch address {
    case .ipv4: !special.contains { $0.contains(address) }
    case .ipv6: globalUnicast.contains(address) && !special.contains { $0.contains(address) }
    case .unix: false
    }
  }

  /// The addresses assigned for global use (RFC 4291, section 2.4).
  private static let globalUnicast = AddressNetwork(ipv6: [0x20], 3)
  private static let special: [AddressNetwork] = [
    .init(ipv4: [0], 8), .init(ipv4: [10], 8), .init(ipv4: [100, 64], 10), .init(ipv4: [127], 8),
    .init(ipv4: [169, 254], 16), .init(ipv4: [172, 16], 12), .init(ipv4: [192, 0, 0], 24),
    .init(ipv4: [192, 0, 2], 24), .init(ipv4: [192, 88, 99], 24), .init(ipv4: [192, 168], 16),
    .init(ipv4: [198, 18], 15), .init(ipv4: [198, 51, 100], 24), .init(ipv4: [203, 0, 113], 24),
    // Of the hosts of one cloud, where their metadata is (Azure's WireServer).
    .init(ipv4: [168, 63, 129, 16], 32),
    // Multicast, and what is reserved or for all of a network.
    .init(ipv4: [224], 3),
    // Protocols' own, documentation, and tunnels that have an IPv4 address in them.
    .init(ipv6: [0x20, 0x01, 0x00], 23), .init(ipv6: [0x20, 0x01, 0x0D, 0xB8], 32),
    .init(ipv6: [0x20, 0x02], 16), .init(ipv6: [0x3F, 0xFF, 0x00], 20),
  ]
}
