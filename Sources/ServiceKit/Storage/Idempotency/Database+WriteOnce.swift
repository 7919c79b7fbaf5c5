public import RPCKit

extension Database {
  /// Runs `body` as one change, at most once per key: the second time its answer is repeated.
  ///
  /// An `RPCError` that would be met again (not UNAVAILABLE, INTERNAL and their like) undoes what
  /// `body` did and is kept as the answer, in the same commit. Another request under the same key is
  /// ALREADY_EXISTS with reason `IDEMPOTENCY_KEY_REUSED` in `domain`. An empty key is a plain
  /// `write`. Throws as `write` does.
  ///
  /// ```swift
  /// let key = IdempotencyKey(
  ///   caller: userID, key: request.idempotencyKey, method: "tenancy.v1.Portfolios/Create",
  ///   request: request)
  /// return try await database.writeOnce(key, domain: "gatehouse.tenancy") { tx in
  ///   try Portfolios.create(request, in: tx)
  /// }
  /// ```
  public func writeOnce<Response: Message>(
    _ key: IdempotencyKey,
    domain: String,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    guard !key.key.isEmpty else { return try await write(body) }
    let outcome = try await write { tx -> Result<Response, RPCError> in
      if let stored = try StoredAnswer.find(key, in: tx) {
        guard stored.requestDigest == key.requestDigest else {
          return .failure(Self.reused(domain: domain))
        }
        return try stored.outcome()
      }
      do {
        let response = try tx.attempt { try body(tx) }
        try StoredAnswer.keep(response.protobufBytes, isRefusal: false, under: key, in: tx)
        return .success(response)
      } catch let error as RPCError where error.isAnswer {
        try StoredAnswer.keep(error.status.protobufBytes, isRefusal: true, under: key, in: tx)
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  private static func reused(domain: String) -> RPCError {
    RPCError(
      .alreadyExists,
      reason: "IDEMPOTENCY_KEY_REUSED",
      domain: domain,
      message: "this idempotency key was used for another request"
    )
  }
}
