internal import Contracts
internal import RPCKit
internal import ServiceKit

/// A token of an identity provider that was accepted.
struct VerifiedIdentity: Sendable {
  let claims: IdentityClaims
  /// Used up in the transaction that writes something because of the token.
  let nonce: SignInNonces.Authentic
  let provider: IdentityProvider

  /// A new link of this identity to an account.
  func linked(to userID: String, id: String, now: Int64) -> LinkedIdentity {
    LinkedIdentity(
      id: id,
      issuer: claims.issuer,
      subject: claims.subject,
      provider: provider.name,
      userID: userID,
      email: claims.email ?? "",
      isPrivateEmail: claims.email != nil && claims.isPrivateEmail,
      linked: now,
      newestToken: claims.issued
    )
  }
}

/// What identities at providers mean for accounts.
extension AuthCore {
  /// Looks at a token of a provider for a caller; wrong ones are counted against the caller's source.
  func verifyIdentity(
    _ token: String,
    rawNonce: String,
    code: String = "",
    for purpose: SignInNonces.Purpose,
    of name: String,
    _ source: CallSource
  ) async throws -> VerifiedIdentity {
    let entry = try providers.find(name)
    let guess = try admitGuess(source, "Identities")
    do {
      let verified = try await providers.verify(
        token,
        rawNonce: rawNonce,
        code: code,
        for: purpose,
        of: entry,
        now: clock.now
      )
      guess?.giveBack()
      return VerifiedIdentity(
        claims: verified.claims,
        nonce: verified.nonce,
        provider: entry.provider
      )
    } catch {
      // Nothing was found out about the token.
      if (error as? RPCError)?.code == .unavailable { guess?.giveBack() }
      throw error
    }
  }

  /// Whether a user could still sign in without an identity or a passkey: with a password, with another
  /// identity of a provider that is set up, or with another passkey for the relying party that is.
  ///
  /// An address to which a reset can be mailed does not count: not everybody still reads theirs.
  func hasWayIn(
    besides id: String,
    of userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Bool {
    if try UserTable.hasPassword(userID, in: tx) { return true }
    let hasIdentity = try IdentityTable.list(of: userID, in: tx).contains { identity in
      identity.id != id && identity.withdrawn == nil && providers.contains(identity.provider)
    }
    if hasIdentity { return true }
    guard let party = settings.passkeys.relyingParty else { return false }
    return try PasskeyTable.list(of: userID, in: tx).contains { passkey in
      passkey.id != id && passkey.relyingParty == party.id
    }
  }

  /// Throws IDENTITY_TOKEN_INVALID for a token that was made before an account of its identity was deleted:
  /// only a later one shows that the user wants another account.
  func requireNewerThanDeletion(
    _ claims: IdentityClaims,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws {
    let name = Tombstones.Name.identity(issuer: claims.issuer, subject: claims.subject)
    guard let erased = try secrets.tombstones.time(of: name, in: tx) else { return }
    guard claims.issued > erased else { throw AuthError.identityTokenInvalid }
  }

  /// The mail that tells of an identity that was linked or unlinked.
  func identityNotice(
    _ kind: MailKind,
    _ identity: LinkedIdentity,
    to user: UserRecord,
    now: Int64
  ) -> MailOrder {
    MailOrder(
      kind,
      to: .address(user.email),
      userID: user.id,
      values: ["provider": identity.provider, "time": MailDate.short(now)]
    )
  }
}
