public import RPCKit

extension RPCError {
  /// An error that programs can tell from others: `google.rpc.ErrorInfo` says why.
  ///
  /// `reason` is SCREAMING_SNAKE_CASE and unique in `domain`, for example `gatehouse.tenancy`.
  /// UNAVAILABLE and RESOURCE_EXHAUSTED should carry `retryAfter`. Everything given here goes to the
  /// peer, except `cause`.
  public init(
    _ code: StatusCode,
    reason: String,
    domain: String,
    message: String,
    metadata: [String: String] = [:],
    retryAfter: Duration? = nil,
    cause: (any Error)? = nil
  ) {
    let info = Google_Rpc.ErrorInfo(reason: reason, domain: domain, metadata: metadata)
    var details = [RPCError.Detail(info)]
    if let retryAfter { details.append(.retryInfo(retryAfter)) }
    self.init(code, message, details: details, cause: cause)
  }

  /// What `google.rpc.ErrorInfo` among the details says, or nil without a readable one.
  public var reason: String? { errorInfo?.reason }

  /// The `google.rpc.ErrorInfo` among the details, or nil without a readable one.
  public var errorInfo: Google_Rpc.ErrorInfo? {
    let typeURL = RPCError.Detail.typeURL(Google_Rpc.ErrorInfo.self)
    guard let detail = details.first(where: { $0.typeURL == typeURL }) else { return nil }
    // What a peer sent unreadably is as good as not sent.
    return try? Google_Rpc.ErrorInfo(protobuf: detail.value.span, limits: MessageLimits())
  }
}

extension RPCError.Detail {
  /// Wraps a message.
  public init<Body: Message>(_ message: Body) {
    self.init(typeURL: Self.typeURL(Body.self), value: message.protobufBytes)
  }

  fileprivate static func typeURL<Body: Message>(_ type: Body.Type) -> String {
    "type.googleapis.com/\(type.protobufName)"
  }
}
