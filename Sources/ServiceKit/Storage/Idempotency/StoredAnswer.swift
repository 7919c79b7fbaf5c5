internal import RPCKit

/// How a write under an idempotency key ended, as it is kept: the response or the refusal.
struct StoredAnswer: Sendable {
  let requestDigest: [UInt8]
  let isRefusal: Bool
  let bytes: [UInt8]
  /// When it was kept, in milliseconds since 1970.
  let recordedAt: Int64

  private static let columns = RecordColumns<StoredAnswer>(
    "idempotency_key",
    beside: ["caller", "key"],
    .blob("request_digest", \.requestDigest),
    .boolean("is_refusal", \.isRefusal),
    .blob("response", \.bytes),
    .integer("recorded_at", \.recordedAt)
  ) { row in
    StoredAnswer(
      requestDigest: row.blob(),
      isRefusal: row.boolean(),
      bytes: row.blob(),
      recordedAt: row.integer()
    )
  }

  /// The answer under a key, if there is one.
  ///
  /// However old it looks: it counts until it is purged, because a clock that runs ahead for an hour
  /// must not have a write done a second time.
  static func find(
    _ key: IdempotencyKey,
    in tx: borrowing WriteTransaction
  ) throws -> StoredAnswer? {
    try tx.first(columns, "WHERE caller = ? AND key = ?", .text(key.caller), .text(key.key))
  }

  /// Keeps an answer under a key that has none.
  static func keep(
    _ bytes: [UInt8],
    isRefusal: Bool,
    under key: IdempotencyKey,
    in tx: borrowing WriteTransaction
  ) throws {
    let answer = StoredAnswer(
      requestDigest: key.requestDigest,
      isRefusal: isRefusal,
      bytes: bytes,
      recordedAt: tx.now
    )
    try tx.insert(answer, columns, beside: .text(key.caller), .text(key.key))
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
