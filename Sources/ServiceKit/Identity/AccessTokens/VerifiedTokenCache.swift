internal import RPCKit

/// Tokens that were verified, by their fingerprints: finding one costs a five-hundredth of verifying
/// it.
///
/// Two generations of bounded size: what is used moves to the younger one, and when that is full the
/// older one goes. That keeps what a least-recently-used list would keep, give or take, without its
/// upkeep. Expiry and revocation are asked at every use, by anyone who uses what is found here. The
/// tokens themselves are not kept, and two of them are never taken for one: see `KeyedFingerprint`.
public final class VerifiedTokenCache: Sendable {
  private struct Generations {
    var younger: [KeyedFingerprint.Value: VerifiedToken] = [:]
    var older: [KeyedFingerprint.Value: VerifiedToken] = [:]
  }

  private let generations = Lock(Generations())
  private let generationCountMax: Int
  private let fingerprint = KeyedFingerprint(byteCountMax: JSONWebToken.byteCountMax)

  /// Makes a cache of about `countMax` tokens, some 400 bytes each.
  public init(countMax: Int = 65_536) {
    generationCountMax = max(1, countMax / 2)
  }

  /// This cache's name of a token, of at most `JSONWebToken.byteCountMax` bytes.
  func name(of token: Span<UInt8>) -> KeyedFingerprint.Value { fingerprint.value(of: token) }

  /// The verified token with this name.
  func token(_ name: KeyedFingerprint.Value) -> VerifiedToken? {
    generations.withLock { generations in
      if let token = generations.younger[name] { return token }
      guard let token = generations.older[name] else { return nil }
      insert(token, for: name, into: &generations)
      return token
    }
  }

  /// Remembers a token that was verified just now.
  func insert(_ token: VerifiedToken, for name: KeyedFingerprint.Value) {
    generations.withLock { insert(token, for: name, into: &$0) }
  }

  /// Forgets a token.
  func remove(_ name: KeyedFingerprint.Value) {
    generations.withLock { generations in
      generations.younger[name] = nil
      generations.older[name] = nil
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
    _ token: VerifiedToken,
    for name: KeyedFingerprint.Value,
    into generations: inout Generations
  ) {
    if generations.younger.count >= generationCountMax {
      generations.older = generations.younger
      generations.younger = [:]
    }
    generations.younger[name] = token
  }
}
