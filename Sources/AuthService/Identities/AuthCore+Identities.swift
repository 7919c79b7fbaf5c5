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

/// Identities at providers, and their accounts.
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
    let guess = try charge(guesses, source, "Identities")
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

  /// Throws IDENTITY_TOKEN_INVALID for a token that was made before an account of its identity was deleted:
  /// only a later one shows that the user wants another account.
  func requireNewerThanDeletion(_ claims: IdentityClaims, in tx: borrowing some Queryable) throws {
    let name = Tombstones.Name.identity(issuer: claims.issuer, subject: claims.subject)
    guard let erased = try secrets.tombstones.time(of: name, in: tx) else { return }
    guard claims.issued > erased else { throw ProviderError.tokenInvalid }
  }
}
