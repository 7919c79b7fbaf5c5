internal import RPCKit

/// How a write under an idempotency key ended, as it is kept: the response or the refusal.
struct StoredAnswer: Sendable {
  let requestDigest: [UInt8]
  let isRefusal: Bool
  let bytes: [UInt8]

  /// The answer under a key, if there is one.
  ///
  /// However old it looks: it counts until it is purged, because a clock that runs ahead for an hour
  /// must not have a write done a second time.
  static func find(
    _ key: IdempotencyKey,
    in tx: borrowing WriteTransaction
  ) throws -> StoredAnswer? {
    try tx.first(
      """
      SELECT request_digest, is_refusal, response FROM idempotency_key
      WHERE caller = ? AND key = ?
      """,
      .text(key.caller),
      .text(key.key)
    ) { StoredAnswer(requestDigest: $0.blob(0), isRefusal: $0.boolean(1), bytes: $0.blob(2)) }
  }

  /// Keeps an answer under a key that has none.
  static func keep(
    _ bytes: [UInt8],
    isRefusal: Bool,
    under key: IdempotencyKey,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO idempotency_key (caller, key, request_digest, is_refusal, response, recorded_at)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      .text(key.caller),
      .text(key.key),
      .blob(key.requestDigest),
      .boolean(isRefusal),
      .blob(bytes),
      .integer(tx.now)
    )
  }

  /// The response, or the refusal as an error.
  func outcome<Response: Message>() throws -> Result<Response, RPCError> {
    guard isRefusal else {
      return .success(try Response(protobuf: bytes.span, limits: MessageLimits()))
    }
    return .failure(RPCError(status: try .init(protobuf: bytes.span, limits: MessageLimits())))
  }
}

extension RPCError {
  init(status: Google_Rpc.Status) {
    self.init(
      StatusCode(rawValue: status.code),
      status.message,
      details: status.details.map { Detail(typeURL: $0.typeUrl, value: $0.value) }
    )
  }

  var status: Google_Rpc.Status {
    Google_Rpc.Status(
      code: code.rawValue,
      message: message,
      details: details.map { Google_Protobuf.AnyMessage(typeUrl: $0.typeURL, value: $0.value) }
    )
  }

  /// Whether the same request would be refused again, so that the refusal is an answer.
  var isAnswer: Bool {
    let passing: [StatusCode] = [
      .unavailable, .resourceExhausted, .internal, .unknown, .cancelled, .deadlineExceeded,
      .aborted, .dataLoss, .unauthenticated,
    ]
    return !passing.contains(code)
  }
}
