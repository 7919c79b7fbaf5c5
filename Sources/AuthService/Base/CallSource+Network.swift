internal import RPCKit
internal import ServiceKit

extension CallSource {
  /// Finds the source of a call as the settings say.
  init(_ call: CallContext, _ settings: SourceLimits) { self.init(call, settings.rules) }

  init(
    peer: String,
    user: String = "",
    told: [String],
    by service: String?,
    _ settings: SourceLimits
  ) {
    self.init(peer: peer, user: user, told: told, by: service, settings.rules)
  }

  /// For the list of sessions: the network without the host.
  var network: String { CoarseNetwork.name(of: socketAddress?.description ?? "") }
}

/// The network that a call came from, without the part that tells one host or household.
///
/// A list of sessions needs to say "somewhere else"; it need not keep where everyone lives.
public enum CoarseNetwork {
  /// Three bytes of an IPv4 address, three groups of an IPv6 address; empty for anything else.
  public static func name(of peerAddress: String) -> String {
    guard let colon = peerAddress.lastIndex(of: ":") else { return "" }
    let host = peerAddress[..<colon]
    if host.hasPrefix("[") {
      let groups = host.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
      guard groups.count > 3, !groups.prefix(3).contains("") else { return "" }
      return groups.prefix(3).joined(separator: ":") + "::/48"
    }
    let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
    guard bytes.count == 4, bytes.allSatisfy({ UInt8($0) != nil }) else { return "" }
    return bytes.prefix(3).joined(separator: ".") + ".0/24"
  }
}
