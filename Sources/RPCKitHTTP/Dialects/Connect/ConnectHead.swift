internal import RPCKit

/// What the two ways of Connect read from a head alike.
enum ConnectHead {
  static let version = "connect-protocol-version"

  /// Throws for a version of the protocol that is not ours; none at all is fine.
  static func checkVersion(_ fields: HTTPFields) throws(RPCError) {
    guard fields.values(version).allSatisfy({ $0 == "1" }) else {
      throw RPCError(
        .invalidArgument,
        .protocolViolation,
        "\(version) is not supported; send 1"
      )
    }
  }
}
