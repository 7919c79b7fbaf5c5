internal import ServiceKit

/// A person at an identity provider who may sign in to an account.
struct LinkedIdentity: Hashable, Sendable {
  /// Identifier, `idt_…`.
  var id: String
  /// The provider's issuer: with `subject` what the identity is found by.
  var issuer: String
  /// The user's identifier at the provider.
  var subject: String
  /// The provider's name in the settings.
  var provider: String
  /// The user of the account.
  var userID: String
  /// The address that the newest token had; empty without one.
  var email: String
  /// Whether Apple forwards mail from that address.
  var isPrivateEmail: Bool
  /// Whether Apple says that it does not forward it at present.
  var isMailStopped = false
  /// When it was linked, in milliseconds since 1970.
  var linked: Int64
  /// When it was last used to sign in; nil when it was not.
  var used: Int64?
  /// When the newest of its tokens was issued, by the provider's clock.
  var newestToken: Int64
  /// When the user withdrew it at the provider; nil while it is good.
  ///
  /// A token of a later time takes that back: the provider makes none without the user.
  var withdrawn: Int64?

  /// Identities of an account, at most.
  static let countMax = 20

  /// The tombstone that is left of it once its account was deleted.
  var tombstone: Tombstones.Name { .identity(issuer: issuer, subject: subject) }

  /// Takes what a newer token says; an older one that comes late changes nothing but that it was used.
  mutating func take(_ claims: IdentityClaims) {
    guard claims.issued >= newestToken else { return }
    newestToken = claims.issued
    withdrawn = nil
    email = claims.email ?? email
    isPrivateEmail = claims.email == nil ? isPrivateEmail : claims.isPrivateEmail
  }

  /// Whether a token may sign in: it was made after the user withdrew the identity, if they did.
  func accepts(_ claims: IdentityClaims) -> Bool {
    withdrawn.map { claims.issued > $0 } ?? true
  }
}
