internal import RPCKit
internal import ServiceKit

enum DocumentError {
  static func changed(_ name: String) -> RPCError {
    ErrorCatalog.tenancy.conflict(
      "REVISION_MISMATCH",
      "\(name) has changed; read it again and repeat the change",
      ["document": name]
    )
  }

  static func exists(_ name: String) -> RPCError {
    ErrorCatalog.tenancy.exists(
      "DOCUMENT_EXISTS",
      "\(name) exists already; leave out create_only to change it",
      ["document": name]
    )
  }

  /// The documents that the service keeps for a user.
  static func readOnly(_ name: String) -> RPCError {
    ErrorCatalog.tenancy.denied(
      "DOCUMENT_READ_ONLY",
      "only the service writes \(name); use another document",
      ["document": name]
    )
  }

  static func fieldTypeMismatch(_ field: String, _ needed: String) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "FIELD_TYPE_MISMATCH",
      "\(field) is not \(needed); set it to another value first",
      ["field": field]
    )
  }

  static func counterOverflow(_ field: String) -> RPCError {
    ErrorCatalog.tenancy.error(
      .outOfRange,
      "COUNTER_OVERFLOW",
      "\(field) would overflow a 64-bit integer; nothing was changed",
      ["field": field]
    )
  }

  static func tooLarge(_ name: String) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "DOCUMENT_TOO_LARGE",
      "\(name) would have more than \(DocumentLimits.contentByteCountMax) bytes; "
        + "split it into several documents",
      ["document": name]
    )
  }

  static let mergeTooLarge = ErrorCatalog.tenancy.precondition(
    "MERGE_TOO_LARGE",
    "the documents that the batch merges into have more than "
      + "\(DocumentLimits.mergedByteCountMax) bytes; split the batch"
  )

  /// A quota of the user: what of, and how much there may be.
  static func quotaExceeded(_ limit: DocumentLimit, max: Int64) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "QUOTA_EXCEEDED",
      "you may have at most \(max) \(limit.rawValue) of documents; delete some first",
      ["limit": limit.rawValue, "max": "\(max)"]
    )
  }

  static let collectionTooLargeToSort = ErrorCatalog.tenancy.precondition(
    "COLLECTION_TOO_LARGE_TO_SORT",
    "sort_field is for collections of up to \(DocumentLimits.sortedCountMax) documents and "
      + "\(DocumentLimits.sortedByteCountMax) bytes; use sort_by instead"
  )

  static func sortBudgetSpent(retryAfter: Duration) -> RPCError {
    ErrorCatalog.tenancy.limited(
      "SORT_BUDGET_SPENT",
      "you have sorted too many documents by fields; retry after the given delay, or use sort_by",
      retryAfter: retryAfter
    )
  }

  static let watchTooSlow = ErrorCatalog.tenancy.limited(
    "WATCH_TOO_SLOW",
    "the watch is more than \(DocumentLimits.missedCountMax) changes behind; "
      + "watch again after the revision of the last event",
    retryAfter: .seconds(1)
  )

  // MARK: Legacy documents

  static let legacyReadOnly = ErrorCatalog.tenancy.precondition(
    "LEGACY_READ_ONLY",
    "the legacy collections are sealed and can no longer be changed; "
      + "have users store new documents in their own collections"
  )

  static let legacyNotSealed = ErrorCatalog.tenancy.precondition(
    "LEGACY_NOT_SEALED",
    "legacy documents are still being imported; try again once an operator has sealed them"
  )

  static func legacyConflict(field: String, _ id: String) -> RPCError {
    ErrorCatalog.tenancy.exists(
      "LEGACY_CONFLICT",
      "\(field): \(id) was imported with another owner or content; nothing was imported",
      ["document": id]
    )
  }
}
