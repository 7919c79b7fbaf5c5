/// One committed change, as watches, caches and sagas get it.
public struct Change: Hashable, Sendable {
  /// Its place in the order of all changes of the store; counts up, with gaps.
  public var revision: Int64
  /// When it was written, in milliseconds since 1970.
  public var recordedAt: Int64
  /// The kind of event: `portfolio.updated`.
  public var kind: String
  /// The object or user it happened to.
  public var subject: String
  /// The tenant it belongs to, or empty.
  public var scope: String
  /// The details for a consumer, in an encoding that belongs to `kind`.
  public var payload: [UInt8]

  /// Makes a change.
  public init(
    revision: Int64,
    recordedAt: Int64,
    kind: String,
    subject: String,
    scope: String,
    payload: [UInt8]
  ) {
    self.revision = revision
    self.recordedAt = recordedAt
    self.kind = kind
    self.subject = subject
    self.scope = scope
    self.payload = payload
  }

  init(row: borrowing Row) {
    self.init(
      revision: row.integer(0),
      recordedAt: row.integer(1),
      kind: row.text(2),
      subject: row.text(3),
      scope: row.text(4),
      payload: row.blob(5)
    )
  }
}
