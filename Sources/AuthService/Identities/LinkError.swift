internal import RPCKit
internal import ServiceKit

/// Errors of sign-ins with a provider and of linking.
enum LinkError {
  /// A first sign-in, and the provider gives no address.
  static let withoutEmail = ErrorCatalog.auth.precondition(
    "IDENTITY_WITHOUT_EMAIL",
    "the identity token has no e-mail address; sign up with an address, then link the identity"
  )

  /// The address is of an account that another person may have made.
  static let notLinked = ErrorCatalog.auth.exists(
    "IDENTITY_NOT_LINKED",
    "an account with this e-mail address exists already; sign in to it, then link the identity"
  )

  static let inUse = ErrorCatalog.auth.exists(
    "IDENTITY_IN_USE",
    "the identity is linked to another account; sign in with it and unlink it there first"
  )

  static let tooMany = ErrorCatalog.auth.precondition(
    "TOO_MANY_IDENTITIES",
    "the account has \(LinkedIdentity.countMax) identities; unlink one first"
  )

  /// Other calls linked or unlinked the identity each time; the token works again.
  static let overtaken = ErrorCatalog.auth.conflict(
    "SIGN_IN_OVERTAKEN",
    "the identity was linked or unlinked by another call at the same time; retry",
    retryAfter: .milliseconds(100)
  )
}
