package import RPCKit

extension CountedCaller {
  /// The counted caller of an authenticated call while it is a stream.
  ///
  /// A service that acts for a user counts as that user, unless the method is for services. Without
  /// credentials it is the address that counts: that of the client if a trusted proxy tells it, or else
  /// the peer's; all peers on Unix sockets are one.
  package init(of call: CallContext) {
    let caller = call.caller
    if call.callerClass == .service, let service = caller.service {
      self = .service(service)
      return
    }
    switch caller {
    case .user(let user): self = .user(user.userID)
    case .service(let name): self = .service(name)
    case .anonymous:
      let address = call.forwardedClient?.address ?? SocketAddress(ofPeer: call.peer.address)
      self.init(source: address.flatMap { SourceAddress($0) })
    }
  }

  /// The counted caller of a call while its write waits.
  ///
  /// Without credentials that is the source as the wire knows it already: the address would be read anew
  /// for each sign-in.
  init(writing call: CallContext) {
    switch call.caller {
    case .user(let user): self = .user(user.userID)
    case .service(let name): self = .service(name)
    case .anonymous: self = .anonymous(call.source)
    }
  }

  /// A user who is known by an address only; nil is a Unix socket.
  package init(source: SourceAddress?) {
    self = .anonymous(source.map { "\($0.bytes)" } ?? "unix")
  }
}
