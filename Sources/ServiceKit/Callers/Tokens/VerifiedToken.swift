internal import Synchronization

/// The facts about an access token that was verified once and need not be checked again while nothing changes.
public final class VerifiedToken: Sendable {
  /// The claims of the token.
  public let claims: AccessClaims

  /// The keys among which the one that signed it was found last.
  let keys: KeySet

  /// How many revocations there had been when it was last found among none of them.
  private let revocationsSeen = Atomic<UInt64>(.max)

  /// Remembers claims that were verified with `keys`.
  package init(_ claims: AccessClaims, keys: KeySet) {
    self.claims = claims
    self.keys = keys
  }

  /// Whether no revocation concerned it when there had been so many.
  func isUnrevoked(at revocationCount: UInt64) -> Bool {
    revocationsSeen.load(ordering: .relaxed) == revocationCount
  }

  /// Remembers that none of so many revocations concerns it.
  func noteNotRevoked(at revocationCount: UInt64) {
    revocationsSeen.store(revocationCount, ordering: .relaxed)
  }
}
