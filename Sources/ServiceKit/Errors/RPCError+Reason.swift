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
  public var errorInfo: Google_Rpc.ErrorInfo? { detail(Google_Rpc.ErrorInfo.self) }

  /// The identifier of `google.rpc.RequestInfo` among the details, or nil without a readable one: the name under
  /// which the service has logged the request.
  public var requestID: String? { detail(Google_Rpc.RequestInfo.self)?.requestId }

  /// Whether there is a detail of a type.
  func hasDetail<Body: Message>(_ type: Body.Type) -> Bool {
    details.contains { $0.isMessage(type) }
  }
}

extension RPCError.Detail {
  /// Wraps a message.
  public init<Body: Message>(_ message: Body) {
    self.init(
      typeURL: "type.googleapis.com/\(Body.protobufName)",
      value: message.protobufBytes
    )
  }
}
