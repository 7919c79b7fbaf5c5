internal import RPCKit
internal import ServiceKit

/// Errors about questions to the policy.
enum PermissionError {
  static func actionUnknown(_ field: String = "action") -> RPCError {
    ErrorCatalog.tenancy.invalid(field, "ACTION_UNKNOWN", "is not an action of the policy")
  }

  static let asOfInFuture = ErrorCatalog.tenancy.invalid(
    "as_of",
    "AS_OF_IN_FUTURE",
    "must not lie in the future; leave it out to ask about now"
  )

  static func asOfInBatch(_ index: Int) -> RPCError {
    ErrorCatalog.tenancy.invalid(
      "checks[\(index)].as_of",
      "AS_OF_IN_BATCH",
      "must be absent in a batch; ask about the past with Check"
    )
  }

  /// Of the instant asked for nothing is kept.
  static func pastUnknown(since instant: Int64?) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "PAST_UNKNOWN",
      "as_of is before the kept history; use a later instant",
      instant.map { ["known_since_milliseconds": "\($0)"] } ?? [:]
    )
  }

  static let pastPolicyUnreadable = ErrorCatalog.tenancy.precondition(
    "PAST_POLICY_UNREADABLE",
    "this version cannot read the policy of that time; use a later instant"
  )
}
