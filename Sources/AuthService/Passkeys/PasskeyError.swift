internal import RPCKit
internal import ServiceKit

enum PasskeyError {
  /// A response that does not count, for any reason: one answer.
  static let refused = ErrorCatalog.auth.unauthenticated(
    "PASSKEY_REFUSED",
    "the passkey was refused; start again, or sign in another way"
  )

  /// The same for one that was to be registered, by a caller who is signed in.
  static let registrationRefused = ErrorCatalog.auth.invalidRequest(
    "PASSKEY_REGISTRATION_REFUSED",
    "the new passkey was refused; start the registration again"
  )

  static let off = ErrorCatalog.auth.precondition(
    "PASSKEYS_OFF",
    "passkeys are not set up here; set passkeys.relying_party_id and passkeys.origins"
  )

  static let tooMany = ErrorCatalog.auth.precondition(
    "TOO_MANY_PASSKEYS",
    "the account has \(PasskeyRecord.countMax) passkeys; remove one first"
  )

  static let none = ErrorCatalog.auth.precondition(
    "NO_PASSKEY",
    "the account has no passkey; register one, or prove who you are in another way"
  )

  static let notFound = ErrorCatalog.auth.notFound("PASSKEY_NOT_FOUND", "passkey not found")

  /// Without the identity or passkey nobody could sign in to the account.
  static let lastWayIn = ErrorCatalog.auth.precondition(
    "LAST_WAY_IN",
    "this is the only way to sign in to the account; set a password, link another identity or "
      + "register another passkey first"
  )
}
