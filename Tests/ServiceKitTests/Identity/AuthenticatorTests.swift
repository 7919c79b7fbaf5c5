import RPCKit
import Synchronization
import Testing

@testable import ServiceKit

@Suite("Authenticating access tokens")
struct AuthenticatorTests {
  private let forge = TokenForge()
  private let revocations = RevocationSet()

  /// A source of keys that counts how often it is asked for newer ones.
  private final class CountingKeySource: KeySource {
    let refreshCount = Atomic<Int>(0)
    private let current: Lock<KeySet>
    private let newer: KeySet

    init(_ keys: KeySet, newer: KeySet) {
      current = Lock(keys)
      self.newer = newer
    }

    var keys: KeySet { current.withLock { $0 } }

    func refresh() async {
      refreshCount.add(1, ordering: .relaxed)
      current.withLock { $0 = newer }
    }

    func replace(_ keys: KeySet) { current.withLock { $0 = keys } }
  }

  private func authenticator(
    _ keys: any KeySource,
    cache: VerifiedTokenCache = VerifiedTokenCache()
  ) -> AccessTokenAuthenticator {
    AccessTokenAuthenticator(
      verifier: forge.verifier,
      keys: keys,
      revocations: revocations,
      cache: cache,
      clock: forge.clock
    )
  }

  @Test("A cached token ends when it ends, and not later")
  func cached_afterItsEnd_isRefused() async throws {
    let authenticator = authenticator(FixedKeySource(forge.keys))
    let token = forge.token()
    _ = try await authenticator.authenticate(token)
    forge.clock.advance(629_999)
    _ = try await authenticator.authenticate(token)
    forge.clock.advance(1)
    await #expect(throws: TokenFault.expired) { try await authenticator.authenticate(token) }
  }

  @Test("A cached token of a revoked session is refused at once")
  func cached_revoked_isRefused() async throws {
    let authenticator = authenticator(FixedKeySource(forge.keys))
    let token = forge.token()
    _ = try await authenticator.authenticate(token)
    let end = forge.clock.now + 1_000_000
    revocations.insert([Revocation(.session("ses_1"), expires: end)], now: forge.clock.now)
    await #expect(throws: TokenFault.revoked) { try await authenticator.authenticate(token) }
  }

  @Test("Revoking a user spares tokens from afterwards")
  func revokedUser_newerToken_isTaken() async throws {
    let authenticator = authenticator(FixedKeySource(forge.keys))
    let old = forge.token()
    let now = forge.clock.now + 1000
    let revocation = Revocation(.user("usr_1", notBefore: now), expires: now + 1_000_000)
    revocations.insert([revocation], now: now)
    forge.clock.advance(2000)
    await #expect(throws: TokenFault.revoked) { try await authenticator.authenticate(old) }
    _ = try await authenticator.authenticate(forge.token())
  }

  @Test("A cached token of a withdrawn key is refused")
  func cached_keyWithdrawn_isRefused() async throws {
    let source = CountingKeySource(forge.keys, newer: KeySet([]))
    let authenticator = authenticator(source)
    let token = forge.token()
    _ = try await authenticator.authenticate(token)
    source.replace(KeySet([]))
    await #expect(throws: TokenFault.unknownKey) { try await authenticator.authenticate(token) }
  }

  @Test("An unknown key is looked for once, and then known")
  func unknownKey_newerSet_isFetched() async throws {
    let source = CountingKeySource(KeySet([]), newer: forge.keys)
    let authenticator = authenticator(source)
    _ = try await authenticator.authenticate(forge.token())
    #expect(source.refreshCount.load(ordering: .relaxed) == 1)
    await #expect(throws: TokenFault.unknownKey) {
      try await authenticator.authenticate(forge.token { $0["kid"] = "unknown" })
    }
    #expect(source.refreshCount.load(ordering: .relaxed) == 2)
    // What is forged otherwise makes nobody fetch anything.
    await #expect(throws: TokenFault.algorithm) {
      try await authenticator.authenticate(forge.token { $0["alg"] = "none" })
    }
    #expect(source.refreshCount.load(ordering: .relaxed) == 2)
  }

  @Test("The cache stays within its bound and keeps what is used")
  func cache_manyTokens_staysBounded() throws {
    let cache = VerifiedTokenCache(countMax: 100)
    let claims = try forge.verifier.verify(forge.token(), keys: forge.keys, now: forge.clock.now)
    let used = Digests.sha256("used")
    cache.insert(claims, for: used)
    for number in 0..<1000 {
      cache.insert(claims, for: Digests.sha256("\(number)"))
      #expect(cache.claims(of: used) != nil)
      #expect(cache.count <= 100)
    }
    #expect(cache.claims(of: Digests.sha256("0")) == nil)
    cache.removeAll()
    #expect(cache.claims(of: used) == nil)
  }

  @Test("Revocations are forgotten when no token could have lived")
  func revocations_overTime_arePruned() {
    let set = RevocationSet()
    for number in 0..<100_000 {
      let now = Int64(number)
      set.insert([Revocation(.session("ses_\(number)"), expires: now + 100)], now: now)
    }
    #expect(set.count < 2048)
  }

  @Test("A bearer token shows nothing of itself when printed")
  func bearerToken_printed_isRedacted() {
    let token = BearerToken("canary-of-a-token")
    var dumped = ""
    dump(token, to: &dumped)
    for text in ["\(token)", String(reflecting: token), dumped] {
      #expect(!text.contains("canary"))
    }
  }
}
