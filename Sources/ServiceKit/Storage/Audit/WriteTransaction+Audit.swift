extension WriteTransaction {
  /// The request in which the write happens, as audit records, log lines and errors name it; nil for a
  /// write without an author.
  public var requestID: String? { author?.requestID }

  /// Records what the write does, in the same commit: who did it, for whom and in which request are
  /// those of the write.
  ///
  /// `scope` is the root of the tree that the object belongs to. Digests tell states apart without
  /// showing them; `detail` has no personal data and no secrets. `actor` is for calls whose caller is
  /// found out by the write itself, as in signing in. What is longer than `AuditRecord` allows is cut.
  public func audit(
    _ action: String,
    object: String,
    scope: String = "",
    outcome: AuditRecord.Outcome = .done,
    before: [UInt8]? = nil,
    after: [UInt8]? = nil,
    detail: String = "",
    by actor: AuditActor? = nil
  ) throws(StoreError) {
    guard let author else { throw .statement("a write without an author has nothing to audit") }
    let actor = actor ?? author.actor
    try audit(
      AuditRecord(
        actor: actor.name,
        onBehalfOf: actor.onBehalfOf,
        requestID: author.requestID,
        action: action,
        object: object,
        scope: scope,
        outcome: outcome,
        beforeDigest: before,
        afterDigest: after,
        detail: detail
      )
    )
  }
}
