internal import ServiceKit

/// The ways into an account that this installation offers.
struct WaysIn: Sendable {
  let providers: IdentityProviders
  /// For whom passkeys are taken; nil when they are not.
  let relyingParty: RelyingParty?

  /// Whether a user could still sign in without an identity or a passkey: with a password, with another
  /// identity of a provider that is set up, or with another passkey for the relying party that is.
  ///
  /// An address to which a reset can be mailed does not count: not everybody still reads theirs.
  func exist(
    besides id: String,
    of userID: String,
    in tx: borrowing some Queryable
  ) throws -> Bool {
    if try UserTable.hasPassword(userID, in: tx) { return true }
    let hasIdentity = try IdentityTable.list(of: userID, in: tx).contains { identity in
      identity.id != id && identity.withdrawn == nil && providers.contains(identity.provider)
    }
    if hasIdentity { return true }
    guard let party = relyingParty else { return false }
    return try PasskeyTable.list(of: userID, in: tx).contains { passkey in
      passkey.id != id && passkey.relyingParty == party.id
    }
  }
}
