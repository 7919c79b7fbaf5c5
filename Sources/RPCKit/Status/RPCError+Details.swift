extension RPCError {
  /// The first detail of a type; nil without a readable one.
  package func detail<Body: Message>(_ type: Body.Type) -> Body? {
    details.first { $0.isMessage(type) }?.message(type)
  }
}

extension RPCError.Detail {
  /// Whether it wraps a message of a type, which what stands behind the last slash of `typeURL` names.
  package func isMessage<Body: Message>(_ type: Body.Type) -> Bool {
    typeURL.hasSuffix("/\(type.protobufName)")
  }

  /// The message of a type that it wraps; nil for another one.
  ///
  /// What a peer sent unreadably is treated as not sent.
  package func message<Body: Message>(_ type: Body.Type) -> Body? {
    guard isMessage(type) else { return nil }
    return try? Body(protobuf: value.span, limits: MessageLimits())
  }
}
