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

  /// The reason of `google.rpc.ErrorInfo` among the details, or nil without a readable one.
  public var reason: String? { errorInfo?.reason }

  /// The `google.rpc.ErrorInfo` among the details, or nil without a readable one.
  public var errorInfo: Google_Rpc.ErrorInfo? {
    guard let detail = details.first(where: { $0.isMessage(Google_Rpc.ErrorInfo.self) }) else {
      return nil
    }
    // What a peer sent unreadably is treated as not sent.
    return try? Google_Rpc.ErrorInfo(protobuf: detail.value.span, limits: MessageLimits())
  }

  /// The identifier of `google.rpc.RequestInfo` among the details, or nil without a readable one: the name under
  /// which the service has logged the request.
  public var requestID: String? {
    guard let detail = details.first(where: { $0.isMessage(Google_Rpc.RequestInfo.self) }) else {
      return nil
    }
    // As above.
    let info = try? Google_Rpc.RequestInfo(protobuf: detail.value.span, limits: MessageLimits())
    return info?.requestId
  }

  /// Whether there is a detail of a type.
  func hasDetail<Body: Message>(_ type: Body.Type) -> Bool {
    details.contains { $0.isMessage(type) }
  }
}

extension RPCError.Detail {
  /// Wraps a message.
  public init<Body: Message>(_ message: Body) {
    self.init(typeURL: Self.typeURL(Body.self), value: message.protobufBytes)
  }

  /// Whether it wraps a message of a type.
  func isMessage<Body: Message>(_ type: Body.Type) -> Bool { typeURL == Self.typeURL(type) }

  private static func typeURL<Body: Message>(_ type: Body.Type) -> String {
    "type.googleapis.com/\(type.protobufName)"
  }
}
