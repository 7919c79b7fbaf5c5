internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// A limit that a change would exceed: the cause of LIMIT_EXCEEDED until it is known what would allow it.
struct LimitExceeded: Error {
  /// The name of the limit.
  let limit: String
  let holder: FeatureHolder
  let maximum: Int64
  /// How many there are without the request.
  var count: Int64
  /// How many the request adds.
  var requested: Int64
  /// The type of the entities that are counted, or `member`.
  let counted: String
  /// The refused action and its object, for the log.
  let action: String
  let object: String
  /// Where in the request the first one is that does not fit; empty if there is only one.
  var field = ""

  /// Runs `body`, and says of a refusal for a limit where in the request it comes from.
  static func naming(_ field: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as RPCError {
      guard var exceeded = error.cause as? LimitExceeded else { throw error }
      exceeded.field = field
      throw exceeded.error
    }
  }

  /// The answer inside of a transaction; `TenancyCore` adds what would allow it.
  var error: RPCError {
    var error = answer([:])
    error.cause = self
    return error
  }

  /// The answer, with the offers that would allow it.
  func answer(_ unlocking: [String: String]) -> RPCError {
    var metadata = [
      "limit": limit, "maximum": "\(maximum)", "count": "\(count)", "requested": "\(requested)",
    ]
    if !field.isEmpty { metadata["field"] = field }
    metadata.merge(unlocking) { $1 }
    return ErrorCatalog.tenancy.denied(
      "LIMIT_EXCEEDED",
      "\(subject) would exceed \(limit): \(count) of \(maximum) are used; "
        + TenancyError.remedy(unlocking),
      metadata
    ).denying(action, on: object)
  }

  private var subject: String {
    if !field.isEmpty { return "\(field): \(requested) more of type \(counted)" }
    return requested == 1 ? "another \(counted)" : "\(requested) more of type \(counted)"
  }
}
