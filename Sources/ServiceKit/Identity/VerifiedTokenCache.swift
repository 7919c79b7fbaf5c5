internal import RPCKit

/// Tokens that were verified, by their digests: looking one up costs a hundredth of verifying it.
///
/// Two generations of bounded size: what is used moves to the younger one, and when that is full the
/// older one goes. That keeps what a least-recently-used list would keep, give or take, without its
/// upkeep. Expiry and revocation are asked at every use, by whoever uses what is found here.
public final class VerifiedTokenCache: Sendable {
  private struct Generations {
    var younger: [[UInt8]: AccessClaims] = [:]
    var older: [[UInt8]: AccessClaims] = [:]
  }

  private let generations = Lock(Generations())
  private let generationCountMax: Int

  /// Makes a cache of about `countMax` tokens, some 300 bytes each.
  public init(countMax: Int = 65_536) {
    generationCountMax = max(1, countMax / 2)
  }

  /// What was verified of the token with this SHA-256 digest.
  func claims(of digest: [UInt8]) -> AccessClaims? {
    generations.withLock { generations in
      if let claims = generations.younger[digest] { return claims }
      guard let claims = generations.older[digest] else { return nil }
      insert(claims, for: digest, into: &generations)
      return claims
    }
  }

  /// Remembers a token that was verified just now.
  func insert(_ claims: AccessClaims, for digest: [UInt8]) {
    generations.withLock { insert(claims, for: digest, into: &$0) }
  }

  /// Forgets a token.
  func remove(_ digest: [UInt8]) {
    generations.withLock { generations in
      generations.younger[digest] = nil
      generations.older[digest] = nil
    }
  }

  /// Forgets every token, for when a key is withdrawn.
  public func removeAll() {
    generations.withLock { $0 = Generations() }
  }

  /// How many tokens are remembered, those in both generations twice.
  public var count: Int {
    generations.withLock { $0.younger.count + $0.older.count }
  }

  private func insert(
    _ claims: AccessClaims,
    for digest: [UInt8],
    into generations: inout Generations
  ) {
    if generations.younger.count >= generationCountMax {
      generations.older = generations.younger
      generations.younger = [:]
    }
    generations.younger[digest] = claims
  }
}
