internal import RPCKit
internal import ServiceKit

/// What callers are told about their documents.
extension TenancyError {
  static func documentChanged(_ name: String) -> RPCError {
    RPCError(
      .aborted,
      reason: "REVISION_MISMATCH",
      domain: domain,
      message: "\(name) was changed meanwhile; read it again and repeat the change",
      metadata: ["document": name]
    )
  }

  static func documentExists(_ name: String) -> RPCError {
    RPCError(
      .alreadyExists,
      reason: "DOCUMENT_EXISTS",
      domain: domain,
      message: "\(name) exists already; leave out create_only to change it",
      metadata: ["document": name]
    )
  }

  /// What the service keeps for a user.
  static func documentReadOnly(_ name: String) -> RPCError {
    RPCError(
      .permissionDenied,
      reason: "DOCUMENT_READ_ONLY",
      domain: domain,
      message: "\(name) is written by the service only; choose another document",
      metadata: ["document": name]
    )
  }

  static func fieldTypeMismatch(_ field: String, _ needed: String) -> RPCError {
    RPCError(
      .failedPrecondition,
      reason: "FIELD_TYPE_MISMATCH",
      domain: domain,
      message: "\(field) names a field that is not \(needed); set it to another value first",
      metadata: ["field": field]
    )
  }

  static func counterOverflow(_ field: String) -> RPCError {
    RPCError(
      .outOfRange,
      reason: "COUNTER_OVERFLOW",
      domain: domain,
      message: "\(field) would leave the range of 64-bit integers; nothing was changed",
      metadata: ["field": field]
    )
  }

  static func documentTooLarge(_ name: String) -> RPCError {
    RPCError(
      .failedPrecondition,
      reason: "DOCUMENT_TOO_LARGE",
      domain: domain,
      message: "\(name) would have more than \(DocumentLimits.contentByteCountMax) bytes; "
        + "split it into several documents",
      metadata: ["document": name]
    )
  }

  static let mergeTooLarge = RPCError(
    .failedPrecondition,
    reason: "MERGE_TOO_LARGE",
    domain: domain,
    message: "the documents that the batch merges into have more than "
      + "\(DocumentLimits.mergedByteCountMax) bytes; split the batch"
  )

  /// A quota of the user: what of, and how much there may be.
  static func quotaExceeded(_ limit: DocumentLimit, max: Int64) -> RPCError {
    RPCError(
      .failedPrecondition,
      reason: "QUOTA_EXCEEDED",
      domain: domain,
      message: "you may have at most \(max) \(limit.rawValue) of documents; delete some first",
      metadata: ["limit": limit.rawValue, "max": "\(max)"]
    )
  }

  static let collectionTooLargeToSort = RPCError(
    .failedPrecondition,
    reason: "COLLECTION_TOO_LARGE_TO_SORT",
    domain: domain,
    message:
      "sort_field is for collections of up to \(DocumentLimits.sortedCountMax) documents and "
      + "\(DocumentLimits.sortedByteCountMax) bytes; use sort_by instead"
  )

  static func sortBudgetSpent(retryAfter: Duration) -> RPCError {
    RPCError(
      .resourceExhausted,
      reason: "SORT_BUDGET_SPENT",
      domain: domain,
      message:
        "you have sorted too many documents by fields; retry after the given delay, or use sort_by",
      retryAfter: retryAfter
    )
  }

  static let watchTooSlow = RPCError(
    .resourceExhausted,
    reason: "WATCH_TOO_SLOW",
    domain: domain,
    message:
      "more than \(DocumentLimits.missedCountMax) changes happened before an event was taken; "
      + "watch again after the revision of the last event",
    retryAfter: .seconds(1)
  )

  // MARK: Legacy documents

  static let legacyReadOnly = RPCError(
    .failedPrecondition,
    reason: "LEGACY_READ_ONLY",
    domain: domain,
    message: "the legacy collections are sealed and can no longer be changed; "
      + "have users store new documents in their own collections"
  )

  static let legacyNotSealed = RPCError(
    .failedPrecondition,
    reason: "LEGACY_NOT_SEALED",
    domain: domain,
    message: "legacy documents are still being imported; try again once an operator has sealed them"
  )

  static func legacyConflict(field: String, _ id: String) -> RPCError {
    RPCError(
      .alreadyExists,
      reason: "LEGACY_CONFLICT",
      domain: domain,
      message: "\(field): \(id) was imported with another owner or content; nothing was imported",
      metadata: ["document": id]
    )
  }
}
