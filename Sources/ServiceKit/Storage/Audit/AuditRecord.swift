/// One line of the audit log: who did what to which object, and how it ended.
///
/// Digests instead of contents, so that the log can outlive what it is about.
public struct AuditRecord: Hashable, Sendable {
  /// How the action ended.
  public enum Outcome: String, Hashable, Sendable {
    /// It was done.
    case done
    /// It was not allowed.
    case refused
  }

  /// The user or service that acted: `usr_…`, `svc://auth`.
  public var actor: String
  /// The user for whom a service acted.
  public var onBehalfOf: String?
  /// The request in which it happened, as in the log lines.
  public var requestID: String
  /// The action: `portfolio.create`.
  public var action: String
  /// The identifier of what it was done to.
  public var object: String
  /// The tenant it belongs to: the root of the object's tree, or empty.
  public var scope: String
  /// How it ended.
  public var outcome: Outcome
  /// Digest of the object before, if it existed.
  public var beforeDigest: [UInt8]?
  /// Digest of the object after, if it still exists.
  public var afterDigest: [UInt8]?
  /// Further details: reasons, counts.
  ///
  /// No personal data and no secrets.
  public var detail: String

  /// Makes a record.
  public init(
    actor: String,
    onBehalfOf: String? = nil,
    requestID: String,
    action: String,
    object: String,
    scope: String = "",
    outcome: Outcome = .done,
    beforeDigest: [UInt8]? = nil,
    afterDigest: [UInt8]? = nil,
    detail: String = ""
  ) {
    self.actor = actor
    self.onBehalfOf = onBehalfOf
    self.requestID = requestID
    self.action = action
    self.object = object
    self.scope = scope
    self.outcome = outcome
    self.beforeDigest = beforeDigest
    self.afterDigest = afterDigest
    self.detail = detail
  }
}

extension AuditRecord {
  /// Bytes of an identifier, an action or a request in a record.
  public static let nameByteCountMax = 256
  /// Bytes of `detail`.
  public static let detailByteCountMax = 2048
  /// Bytes of a digest.
  public static let digestByteCountMax = 64

  /// The record with what is too long cut off, and `…` in its place: whatever callers give, a record has
  /// at most about 4 KiB.
  var bounded: AuditRecord {
    var record = self
    record.actor = Self.cut(actor, Self.nameByteCountMax)
    record.onBehalfOf = onBehalfOf.map { Self.cut($0, Self.nameByteCountMax) }
    record.requestID = Self.cut(requestID, Self.nameByteCountMax)
    record.action = Self.cut(action, Self.nameByteCountMax)
    record.object = Self.cut(object, Self.nameByteCountMax)
    record.scope = Self.cut(scope, Self.nameByteCountMax)
    record.detail = Self.cut(detail, Self.detailByteCountMax)
    record.beforeDigest = beforeDigest.map { Array($0.prefix(Self.digestByteCountMax)) }
    record.afterDigest = afterDigest.map { Array($0.prefix(Self.digestByteCountMax)) }
    return record
  }

  private static func cut(_ text: String, _ byteCountMax: Int) -> String {
    guard text.utf8.count > byteCountMax else { return text }
    let mark = "…"
    var end = text.utf8.index(text.startIndex, offsetBy: byteCountMax - mark.utf8.count)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return text[..<end] + mark
  }
}

/// A record as it was stored.
public struct StoredAuditRecord: Hashable, Sendable {
  /// Its place in the log; later records have greater numbers.
  public var sequence: Int64
  /// When it was written, in milliseconds since 1970.
  public var recordedAt: Int64
  /// The event.
  public var record: AuditRecord

  /// The table `audit_log`.
  public static let columns = RecordColumns<StoredAuditRecord>(
    "audit_log",
    .generated("sequence", \.sequence),
    .integer("recorded_at", \.recordedAt),
    .text("actor", \.record.actor),
    .optionalText("on_behalf_of", \.record.onBehalfOf),
    .text("request_id", \.record.requestID),
    .text("action", \.record.action),
    .text("object", \.record.object),
    .text("scope", \.record.scope),
    .text("outcome", \.record.outcome.rawValue),
    .optionalBlob("before_digest", \.record.beforeDigest),
    .optionalBlob("after_digest", \.record.afterDigest),
    .text("detail", \.record.detail)
  ) { row in
    StoredAuditRecord(
      sequence: row.integer(),
      recordedAt: row.integer(),
      record: AuditRecord(
        actor: row.text(),
        onBehalfOf: row.optionalText(),
        requestID: row.text(),
        action: row.text(),
        object: row.text(),
        scope: row.text(),
        outcome: AuditRecord.Outcome(rawValue: row.text()) ?? .refused,
        beforeDigest: row.optionalBlob(),
        afterDigest: row.optionalBlob(),
        detail: row.text()
      )
    )
  }
}
