internal import RPCKit

extension Error {
  /// Whether a peer was away or said that it cannot answer now.
  ///
  /// The channel has a warning of its own for a peer that cannot be reached, so that what fails because
  /// of it need not warn as well.
  var isPeerUnavailable: Bool { (self as? RPCError)?.code == .unavailable }
}
