internal import RPCKit
internal import ServiceKit

/// Errors of questions about features, limits and flags.
enum CheckError {
  private static let errors = ErrorCatalog.entitlement

  /// A question of a batch that asks for nothing.
  static func empty(_ field: String) -> RPCError {
    errors.invalid(field, "CHECK_EMPTY", "must ask for a feature or a limit")
  }

  /// A limit that the catalogue does not call metered.
  static func notMetered(_ key: String) -> RPCError {
    let problem = "\"\(key)\" is not metered by the catalogue; use CheckLimit"
    return errors.invalid("limit", "NOT_METERED", problem)
  }

  /// A flag that the catalogue has no feature for.
  static let flagNotFound = errors.notFound(
    "FLAG_NOT_FOUND",
    "the catalogue has no such flag"
  )

  /// A context without a subject, of a caller that is none.
  static let targetingKeyMissing = errors.invalid(
    "context.targeting_key",
    "TARGETING_KEY_MISSING",
    "is required unless the caller is the user"
  )
}
