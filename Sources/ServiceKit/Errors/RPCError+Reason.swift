public import RPCKit

extension RPCError {
  /// An error that says in a word what a program should make of it: `google.rpc.ErrorInfo` with a
  /// reason in SCREAMING_SNAKE_CASE and the domain `gatehouse.SERVICE` (SPEC section 1).
  ///
  /// `metadata` may hold what the reader needs to act on; like the message it goes to the caller, so
  /// nothing internal.
  public init(
    _ code: StatusCode,
    reason: String,
    domain: String,
    _ message: String,
    metadata: [String: String] = [:],
    retryAfter: Duration? = nil,
    cause: (any Error)? = nil
  ) {
    let info = Google_Rpc.ErrorInfo(reason: reason, domain: domain, metadata: metadata)
    var details = [
      Detail(
        typeURL: "type.googleapis.com/\(Google_Rpc.ErrorInfo.protobufName)",
        value: info.protobufBytes
      )
    ]
    if let retryAfter { details.append(.retryInfo(retryAfter)) }
    self.init(code, message, details: details, cause: cause)
  }
}
