internal import RPCKit

/// The parts of a head that the two ways of Connect read alike.
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
