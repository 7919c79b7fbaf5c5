internal import RPCKit
internal import ServiceKit

enum PasswordError {
  /// A password that the policy does not take.
  static func refused(_ objection: PasswordPolicy.Objection, field: String) -> RPCError {
    switch objection {
    case .length:
      ErrorCatalog.auth.invalid(
        field,
        "PASSWORD_LENGTH",
        "must have 8 characters or more, and at most 1,024 bytes"
      )
    case .common:
      ErrorCatalog.auth.invalid(
        field,
        "PASSWORD_COMMON",
        "must not be one of the most common passwords, or one with letters replaced"
      )
    case .partOfEmail:
      ErrorCatalog.auth.invalid(
        field,
        "PASSWORD_PART_OF_EMAIL",
        "must not be part of the e-mail address"
      )
    }
  }

  static func overloaded(retryAfter: Duration) -> RPCError {
    ErrorCatalog.auth.limited(
      "TOO_MANY_SIGN_INS",
      "too many passwords are being checked; retry after the given delay",
      retryAfter: retryAfter
    )
  }
}
