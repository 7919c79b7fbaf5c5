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
