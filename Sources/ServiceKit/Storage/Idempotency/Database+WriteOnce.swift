public import RPCKit

extension Database {
  /// Runs `body` as one change, at most once per key: the second time its answer is repeated.
  ///
  /// An `RPCError` that would be met again (not UNAVAILABLE, INTERNAL and their like) undoes what
  /// `body` did and is kept as the answer, in the same commit. Another request under the same key is
  /// ALREADY_EXISTS with reason `IDEMPOTENCY_KEY_REUSED` in `domain`. An empty key is a plain
  /// `write`. Throws as `write` does.
  ///
  /// `caller` is anyone who the write is done for: UNAUTHENTICATED when its token is no longer accepted
  /// as the turn of the write comes, however long it has waited. `onReplay` runs before an answer is
  /// repeated and can throw instead; what it throws is not kept. Otherwise the answer is repeated as it
  /// was, to a caller who would not get it today too: see docs/decisions/0045. `heads` is as for `write`; the key is one
  /// more.
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
    for caller: Caller = .anonymous,
    as author: Author? = nil,
    heads: WriteHeads = .unknown,
    onReplay: @escaping @Sendable (borrowing WriteTransaction) throws -> Void = { _ in },
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    guard !key.key.isEmpty else {
      return try await write(as: author, heads: heads) { tx in
        try caller.requireStillValid()
        return try body(tx)
      }
    }
    let heads = heads.adding(.answer(to: key.caller, under: key.key))
    let outcome = try await write(as: author, heads: heads) {
      tx -> Result<Response, RPCError> in
      try caller.requireStillValid()
      if let stored = try StoredAnswer.find(key, in: tx) {
        guard stored.requestDigest == key.requestDigest else {
          return .failure(Self.reused(domain: domain))
        }
        try onReplay(tx)
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
    ErrorCatalog(domain: domain).exists(
      "IDEMPOTENCY_KEY_REUSED",
      "this idempotency key was used for a different request; choose a new one"
    )
  }
}
