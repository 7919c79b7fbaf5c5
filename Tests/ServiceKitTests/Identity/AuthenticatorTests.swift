import RPCKit
import RPCKitTesting
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
    let isReachable = Atomic<Bool>(true)
    private let current: Lock<KeySet>
    private let newer: KeySet

    init(_ keys: KeySet, newer: KeySet) {
      current = Lock(keys)
      self.newer = newer
    }

    var keys: KeySet { current.withLock { $0 } }

    func refresh(for keyID: String) async -> Bool {
      refreshCount.add(1, ordering: .relaxed)
      current.withLock { $0 = newer }
      return isReachable.load(ordering: .relaxed)
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

  @Test("A cached token ends three seconds after its end, and not later")
  func cached_afterItsEnd_isRefused() async throws {
    let authenticator = authenticator(FixedKeySource(forge.keys))
    let token = forge.token()
    _ = try await authenticator.authenticate(token)
    forge.clock.advance(602_999)
    _ = try await authenticator.authenticate(token)
    forge.clock.advance(1)
    await #expect(throws: TokenFault.expired) { try await authenticator.authenticate(token) }
  }

  @Test("Whoever shows a token that has ended makes nobody verify a signature")
  func verify_ended_looksAtNoSignature() throws {
    var text = forge.token()
    let wrong = String(text.removeLast() == "A" ? "Q" : "A")
    func fault() -> TokenFault? {
      do throws(TokenFault) {
        _ = try forge.verifier.verify(text + wrong, keys: forge.keys, now: forge.clock.now)
        return nil
      } catch {
        return error
      }
    }
    #expect(fault() == .signature)
    forge.clock.advance(603_000)
    #expect(fault() == .expired)
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

  @Test("A token that is known is recognised at once, until something changes")
  func recognize_change_isSeen() async throws {
    let source = CountingKeySource(forge.keys, newer: KeySet([]))
    let authenticator = authenticator(source)
    let (first, second) = (
      BearerToken(forge.token()),
      BearerToken(
        forge.token { _ in
        } claims: {
          $0["sid"] = "ses_2"
        }
      )
    )
    #expect(try authenticator.recognize(first).outcome == nil)
    for token in [first, second] { _ = try await authenticator.authenticate(token) }
    // Twice: the second time nothing is looked up.
    for token in [first, second, first, second] {
      #expect(try authenticator.recognize(token).outcome?.isSessionKnown == true)
    }
    // A set with the same key is another set; what it lacks is noticed.
    source.replace(KeySet([forge.key.verificationKey]))
    #expect(try authenticator.recognize(first).outcome != nil)
    source.replace(KeySet([SigningKey.generate().verificationKey]))
    #expect(try authenticator.recognize(first).outcome == nil)
    source.replace(forge.keys)
    let end = forge.clock.now + 1_000_000
    revocations.insert([Revocation(.session("ses_9"), expires: end)], now: forge.clock.now)
    #expect(try authenticator.recognize(first).outcome != nil)
    revocations.insert([Revocation(.session("ses_1"), expires: end)], now: forge.clock.now)
    #expect(throws: TokenFault.revoked) { try authenticator.recognize(first) }
    #expect(throws: TokenFault.revoked) { try authenticator.recognize(first) }
    #expect(try authenticator.recognize(second).outcome != nil)
    forge.clock.advance(603_000)
    #expect(try authenticator.recognize(second).outcome == nil)
  }

  @Test("Any byte of a token that is changed makes it another one")
  func recognize_changedToken_isUnknown() async throws {
    let authenticator = authenticator(FixedKeySource(forge.keys))
    let token = forge.token()
    _ = try await authenticator.authenticate(token)
    #expect(try authenticator.recognize(BearerToken(token)).outcome != nil)
    for place in token.utf8.indices {
      var bytes = Array(token.utf8)
      bytes[token.utf8.distance(from: token.utf8.startIndex, to: place)] ^= 1
      let changed = BearerToken(String(decoding: bytes, as: UTF8.self))
      #expect(try authenticator.recognize(changed).outcome == nil)
    }
    for changed in [token + "\0", token + " ", String(token.dropLast())] {
      #expect(try authenticator.recognize(BearerToken(changed)).outcome == nil)
    }
  }

  @Test("A credential is the scheme in any case, blanks, and the token")
  func credential_forms_areStrict() {
    for text in ["Bearer abc", "bearer abc", "BEARER abc", "bEaReR abc"] {
      #expect(BearerToken(credential: text) == BearerToken("abc"), "\(text)")
      #expect(BearerToken(credential: text)?.text == "abc")
    }
    for text in [
      "", "Bearer", "Bearer ", "Bearer  ", "Bearer        ", "Bearer\tabc", "Basic abc",
      "Bearerabc d", "\u{02}earer abc",
    ] {
      #expect(BearerToken(credential: text) == nil, "\(text)")
    }
    for blanks in 2...9 {
      let text = "Bearer" + String(repeating: " ", count: blanks) + "abc"
      #expect(BearerToken(credential: text)?.text == "abc", "\(text)")
    }
    #expect(BearerToken(credential: "Bearer é")?.text == "é")
    #expect(BearerToken("Bearer abc").text == "Bearer abc")
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

  @Test("While keys cannot be fetched, a token with an unknown key is not called bad, others are")
  func unknownKey_keysUnreachable_cannotBeTold() async throws {
    let source = CountingKeySource(KeySet([]), newer: KeySet([]))
    source.isReachable.store(false, ordering: .relaxed)
    let authenticator = authenticator(source)
    let token = forge.token()
    await #expect(throws: TokenFault.keysUnavailable) {
      try await authenticator.authenticate(token)
    }
    #expect(source.refreshCount.load(ordering: .relaxed) == 1)
    // What is wrong whatever the key may be.
    await #expect(throws: TokenFault.algorithm) {
      try await authenticator.authenticate(forge.token { $0["alg"] = "none" })
    }
    // Known keys judge as ever.
    source.replace(forge.keys)
    _ = try await authenticator.authenticate(token)
    let forged = forge.token(signedBy: .generate())
    await #expect(throws: TokenFault.signature) { try await authenticator.authenticate(forged) }
    // Fetched at last, and it is not among them.
    source.replace(KeySet([SigningKey.generate().verificationKey]))
    source.isReachable.store(true, ordering: .relaxed)
    await #expect(throws: TokenFault.unknownKey) { try await authenticator.authenticate(token) }
  }

  @Test("The cache stays within its bound and keeps what is used")
  func cache_manyTokens_staysBounded() throws {
    let cache = VerifiedTokenCache(countMax: 100)
    let claims = try forge.verifier.verify(forge.token(), keys: forge.keys, now: forge.clock.now)
    let token = VerifiedToken(claims, keys: forge.keys)
    let used = cache.name(of: "used".utf8.span)
    cache.insert(token, for: used)
    for number in 0..<1000 {
      cache.insert(token, for: cache.name(of: "\(number)".utf8.span))
      #expect(cache.token(used) != nil)
      #expect(cache.count <= 100)
    }
    #expect(cache.token(cache.name(of: "0".utf8.span)) == nil)
    cache.removeAll()
    #expect(cache.token(used) == nil)
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

extension AccessTokenAuthenticator.Recognition {
  /// What is known of a token without work; nil when more has to be found out.
  fileprivate var outcome: AccessTokenAuthenticator.Outcome? {
    if case .believed(let outcome) = self { outcome } else { nil }
  }
}
