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

  /// The table `change_log`.
  static let columns = RecordColumns<Change>(
    "change_log",
    .integer("revision", \.revision),
    .integer("recorded_at", \.recordedAt),
    .text("kind", \.kind),
    .text("subject", \.subject),
    .text("scope", \.scope),
    .blob("payload", \.payload)
  ) { row in
    Change(
      revision: row.integer(),
      recordedAt: row.integer(),
      kind: row.text(),
      subject: row.text(),
      scope: row.text(),
      payload: row.blob()
    )
  }
}
