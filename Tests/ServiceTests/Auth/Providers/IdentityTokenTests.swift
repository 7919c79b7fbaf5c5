import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

/// Every rule of OpenID Connect Core 1.0, section 3.1.3.7, and of RFC 8725, each broken.
@Suite("Tokens of identity providers")
struct IdentityTokenTests {
  /// Verifies tokens of one provider, as a service with these settings would.
  private struct Desk {
    let clock = ManualClock()
    let provider: TestProvider
    let providers: IdentityProviders

    init(
      _ make: (ManualClock) -> TestProvider = TestProvider.apple,
      _ settings: String = #"{"client_ids": ["client", "other client"]}"#
    ) throws {
      let provider = make(clock)
      self.provider = provider
      providers = IdentityProviders(
        [try .test(provider.name, settings)],
        secret: HMACKey([UInt8](repeating: 7, count: 32)),
        uptime: { [clock] in clock.uptime },
        logger: Logger(label: "test", level: .trace, sink: CollectingSink()),
        metrics: MetricRegistry(),
        origin: { _ in provider }
      )
    }

    var purpose: SignInNonces.Purpose { .signIn(provider: provider.name) }

    func nonce() -> String {
      providers.nonces.make(for: purpose, now: clock.now, SystemRandomSource())
    }

    func expected(_ raw: String) throws -> String {
      SignInNonces.expected(of: raw, try providers.find(provider.name).provider.nonceForm)
    }

    /// What is wrong with a token; nil for one that is accepted.
    func fault(_ text: String, _ rawNonce: String) async throws -> IdentityTokenFault? {
      let entry = try found()
      do throws(IdentityTokenFault) {
        _ = try await providers.check(
          text,
          rawNonce: rawNonce,
          for: purpose,
          of: entry,
          now: clock.now
        )
        return nil
      } catch {
        return error
      }
    }

    private func found() throws -> IdentityProviders.Entry { try providers.find(provider.name) }

    /// What is wrong with a token whose claims and header were changed.
    func fault(
      claims change: (inout JSONObject) -> Void = { _ in },
      header: (inout JSONObject) -> Void = { _ in },
      by key: TestProvider.Key = .rsa(.shared)
    ) async throws -> IdentityTokenFault? {
      let raw = nonce()
      var claims = provider.claims("subject.1", nonce: try expected(raw), email: "ada@example.org")
      change(&claims)
      var fields = TestProvider.header
      header(&fields)
      return try await fault(TestProvider.token(claims, header: fields, by: key), raw)
    }

    /// What an accepted token says.
    func accepted(_ change: (inout JSONObject) -> Void = { _ in }) async throws -> IdentityClaims {
      let raw = nonce()
      var claims = provider.claims("subject.1", nonce: try expected(raw), email: "ada@example.org")
      change(&claims)
      return try await providers.verify(
        TestProvider.token(claims),
        rawNonce: raw,
        for: purpose,
        of: found(),
        now: clock.now
      ).claims
    }
  }

  @Test("A good token says who signed in, and with Apple the nonce is hashed")
  func token_good_isAccepted() async throws {
    let desk = try Desk()
    let claims = try await desk.accepted { $0["is_private_email"] = "true" }
    #expect(claims.issuer == "https://appleid.apple.com" && claims.subject == "subject.1")
    #expect(claims.email == "ada@example.org" && claims.isEmailVerified && claims.isPrivateEmail)
    #expect(claims.issued == desk.clock.now / 1000 * 1000 && claims.authenticated == nil)
    // SHA-256 of "abc", FIPS 180-2, appendix B.1.
    #expect(
      SignInNonces.expected(of: "abc", .sha256)
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    #expect(SignInNonces.expected(of: "abc", .plain) == "abc")
    // The other issuer of Apple is the same one.
    let moved = try await desk.accepted { $0["iss"] = "https://account.apple.com" }
    #expect(moved.issuer == "https://appleid.apple.com")
  }

  @Test("Other algorithms than the provider's are refused, whatever key would fit")
  func algorithm_other_isRefused() async throws {
    let desk = try Desk()
    for algorithm in ["none", "None", "HS256", "rs256", "RS384", "PS256", "ES256", "RS256 "] {
      let fault = try await desk.fault(header: { $0["alg"] = .string(algorithm) })
      #expect(fault == .token(.algorithm), "\(algorithm)")
    }
    // Signed with an HMAC under the public key, and not signed at all.
    let raw = desk.nonce()
    let claims = desk.provider.claims("s", nonce: try desk.expected(raw))
    let parts = TestProvider.token(claims).split(separator: ".")
    #expect(try await desk.fault("\(parts[0]).\(parts[1]).", raw) == .token(.encoding))
    #expect(try await desk.fault("\(parts[0]).\(parts[1])", raw) == .token(.encoding))
    // A provider that may use both, and a key that is only for one of them.
    let key = SigningKey.generate()
    let both = try Desk(
      TestProvider.apple,
      #"{"client_ids": ["client"], "algorithms": ["RS256", "ES256"]}"#
    )
    var jwk = key.verificationKey.jwk
    jwk["kid"] = "curve"
    both.provider.change { $0.json = TestProvider.set([TestProvider.jwk(), jwk]) }
    let curve = try await both.fault(
      header: { header in
        header["alg"] = "ES256"
        header["kid"] = "curve"
      },
      by: .ellipticCurve(key)
    )
    #expect(curve == nil)
    let confused = try await both.fault(header: { $0["alg"] = "ES256" })
    #expect(confused == .token(.unknownKey))
    let crossed = try await both.fault(
      header: { $0["kid"] = "curve" },
      by: .ellipticCurve(key)
    )
    #expect(crossed == .token(.unknownKey))
  }

  @Test("A header that wants to be understood or is another kind is refused")
  func header_extraordinary_isRefused() async throws {
    let desk = try Desk()
    for name in ["crit", "b64", "zip", "enc"] {
      let fault = try await desk.fault(header: { $0[name] = ["exp"] })
      #expect(fault == .token(.extensions), "\(name)")
    }
    for type in ["at+jwt", "logout+jwt", "application/at+jwt"] {
      let fault = try await desk.fault(header: { $0["typ"] = .string(type) })
      #expect(fault == .token(.type), "\(type)")
    }
    #expect(try await desk.fault(header: { $0["typ"] = nil }) == nil)
    #expect(try await desk.fault(header: { $0["typ"] = "jwt" }) == nil)
    let long = String(repeating: "k", count: 257)
    for id: JSONValue in ["", 1, .string(long)] {
      let fault = try await desk.fault(header: { $0["kid"] = id })
      #expect(fault == .token(.keyIdentifier), "\(id)")
    }
  }

  @Test("What a header says of keys and content is ignored, and never followed")
  func header_namesKeys_isNotFollowed() async throws {
    let desk = try Desk()
    for name in ["jku", "jwk", "x5u", "x5c", "cty"] {
      #expect(try await desk.fault(header: { $0[name] = "https://evil.example" }) == nil, "\(name)")
    }
    // The key that it brings does not count.
    let forged = try await desk.fault(
      header: { $0["jwk"] = .object(TestProvider.jwk("key-1", .other)) },
      by: .rsa(.other)
    )
    #expect(forged == .token(.signature))
  }

  @Test("A token that names no key is signed by the only one that there is for it")
  func keyID_absent_isTheOnlyKey() async throws {
    for id: JSONValue? in [nil, .null] {
      let desk = try Desk()
      #expect(try await desk.fault(header: { $0["kid"] = id }) == nil)
      let forged = try await desk.fault(header: { $0["kid"] = id }, by: .rsa(.other))
      #expect(forged == .token(.signature))
    }
    let desk = try Desk()
    desk.provider.change { state in
      state.json = TestProvider.set([TestProvider.jwk("1"), TestProvider.jwk("2", .other)])
    }
    #expect(try await desk.fault(header: { $0["kid"] = nil }) == .token(.unknownKey))
  }

  @Test("Two keys of different kinds may have one name, and a key none")
  func keyID_twoKinds_areToldByAlgorithm() async throws {
    let key = SigningKey.generate()
    let desk = try Desk(
      TestProvider.apple,
      #"{"client_ids": ["client"], "algorithms": ["RS256", "ES256"]}"#
    )
    var jwk = key.verificationKey.jwk
    jwk["kid"] = .string(TestProvider.keyID)
    desk.provider.change { $0.json = TestProvider.set([jwk, TestProvider.jwk()]) }
    #expect(try await desk.fault() == nil)
    let curve = try await desk.fault(header: { $0["alg"] = "ES256" }, by: .ellipticCurve(key))
    #expect(curve == nil)
    // Two of one kind are one key: the first.
    desk.provider.change { state in
      state.json = TestProvider.set([TestProvider.jwk(), TestProvider.jwk("key-1", .other)])
    }
    desk.clock.advance(3_600_000)
    #expect(try await desk.fault(by: .rsa(.other)) == .token(.signature))
    #expect(try await desk.fault() == nil)
  }

  @Test("Times may have fractions, claims that are null are as absent, and groups may be many")
  func claims_asProvidersWriteThem_areRead() async throws {
    let desk = try Desk()
    let now = desk.clock.now / 1000
    func number(_ text: String) throws -> JSONValue {
      try JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 64))
    }
    let claims = try await desk.accepted { claims in
      claims["iat"] = try? number("\(now).5")
      claims["exp"] = try? number("\(now + 60).25")
      claims["auth_time"] = try? number("\(now - 10).999")
      claims["nbf"] = try? number("\(now - 1)e0")
      claims["groups"] = .array((0..<300).map { .string("group \($0)") })
      claims["sub"] = "x|a b"
      for name in ["nonce_supported", "azp", "hd", "c_hash", "name", "is_private_email"] {
        claims[name] = .null
      }
    }
    #expect(claims.issued == now * 1000 + 500 && claims.authenticated == now * 1000 - 9001)
    #expect(claims.subject == "x|a b" && claims.name == "" && claims.clientID == "client")
    // A fraction is part of the time.
    let ended = try await desk.fault { claims in
      claims["iat"] = .number(JSONNumber(now - 120))
      claims["exp"] = try? number("\(now - 60).0001")
    }
    #expect(ended == .token(.expired))
    for text in ["1e300", "-0.5", "9007199254740994"] {
      #expect(try await desk.fault { $0["exp"] = try? number(text) } == .token(.claims), "\(text)")
    }
    // Of null no time can be read, and nobody is it.
    for name in ["iat", "exp"] {
      #expect(try await desk.fault { $0[name] = .null } == .token(.claims))
    }
    #expect(try await desk.fault { $0["sub"] = .null } == .subject)
    #expect(try await desk.fault { $0["nonce"] = .null } == .nonce)
  }

  @Test("Texts that are not exactly one token are refused")
  func text_malformed_isRefused() async throws {
    let desk = try Desk()
    let raw = desk.nonce()
    let claims = JSONValue.object(desk.provider.claims("s", nonce: try desk.expected(raw))).text
    let header = JSONValue.object(TestProvider.header).text
    let good = TestProvider.token(claims, header: header)
    #expect(try await desk.fault(good, raw) == nil)
    #expect(try await desk.fault(good + "=", raw) == .token(.encoding))
    #expect(try await desk.fault(good + ".", raw) == .token(.encoding))
    #expect(try await desk.fault(" " + good, raw) == .token(.encoding))
    let doubled = TestProvider.token(claims, header: #"{"alg":"none",\#(header.dropFirst())"#)
    #expect(try await desk.fault(doubled, raw) == .token(.header))
    let twice = TestProvider.token(#"{"sub":"other",\#(claims.dropFirst())"#, header: header)
    #expect(try await desk.fault(twice, raw) == .token(.claims))
    let padding = String(repeating: "x", count: 16 * 1024)
    let large = TestProvider.token(#"{"pad":"\#(padding)",\#(claims.dropFirst())"#, header: header)
    #expect(try await desk.fault(large, raw) == .token(.tooLong))
    let nested = String(repeating: "[", count: 9) + String(repeating: "]", count: 9)
    let deep = TestProvider.token(#"{"deep":\#(nested),\#(claims.dropFirst())"#, header: header)
    #expect(try await desk.fault(deep, raw) == .token(.claims))
  }

  @Test("A token that another key signed, or that was changed since, is refused")
  func signature_other_isRefused() async throws {
    let desk = try Desk()
    #expect(try await desk.fault(by: .rsa(.other)) == .token(.signature))
    let raw = desk.nonce()
    var claims = desk.provider.claims("s", nonce: try desk.expected(raw))
    let honest = TestProvider.token(claims).split(separator: ".")
    claims["sub"] = "victim"
    let forged = TestProvider.token(claims, by: .rsa(.other)).split(separator: ".")
    let mixed = "\(forged[0]).\(forged[1]).\(honest[2])"
    #expect(try await desk.fault(mixed, raw) == .token(.signature))
    // The keys were just fetched: whether there is one by now nobody asks for a minute.
    let unasked = try await desk.fault(header: { $0["kid"] = "key-2" })
    #expect(unasked == .token(.keysUnavailable))
    desk.clock.advance(60_000)
    let unknown = try await desk.fault(header: { $0["kid"] = "key-2" })
    #expect(unknown == .token(.unknownKey))
  }

  @Test("Another issuer is refused, and one that only looks the same")
  func issuer_other_isRefused() async throws {
    let desk = try Desk()
    for issuer in [
      "https://appleid.apple.com/", "http://appleid.apple.com", "https://APPLEID.apple.com",
      "appleid.apple.com", "https://appleid.apple.com.evil.example", "",
    ] {
      let fault = try await desk.fault { $0["iss"] = .string(issuer) }
      #expect(fault == .token(.issuer), "\(issuer)")
    }
    #expect(try await desk.fault { $0["iss"] = nil } == .token(.issuer))
    #expect(try await desk.fault { $0["iss"] = ["https://appleid.apple.com"] } == .token(.issuer))
  }

  @Test("Every audience must be one of ours, and of several one must have asked")
  func audience_other_isRefused() async throws {
    let desk = try Desk()
    #expect(try await desk.fault { $0["aud"] = "somebody" } == .token(.audience))
    #expect(try await desk.fault { $0["aud"] = nil } == .token(.audience))
    #expect(try await desk.fault { $0["aud"] = [] } == .token(.audience))
    #expect(try await desk.fault { $0["aud"] = 1 } == .token(.audience))
    #expect(try await desk.fault { $0["aud"] = ["client", 1] } == .token(.audience))
    #expect(try await desk.fault { $0["aud"] = ["client"] } == nil)
    #expect(try await desk.fault { $0["aud"] = ["client", "other client"] } == .authorizedParty)
    func several(_ audiences: JSONValue, _ party: JSONValue) async throws -> IdentityTokenFault? {
      try await desk.fault { claims in
        claims["aud"] = audiences
        claims["azp"] = party
      }
    }
    #expect(try await several(["client", "other client"], "client") == nil)
    #expect(try await several(["client", "somebody"], "client") == .token(.audience))
    #expect(try await several("client", "somebody") == .authorizedParty)
    #expect(try await several("client", 1) == .authorizedParty)
  }

  @Test("A token counts from a minute before it was issued to a minute after it ended")
  func time_outsideOfToken_isRefused() async throws {
    let desk = try Desk()
    func at(_ issued: Int64, _ expires: Int64) async throws -> IdentityTokenFault? {
      let now = desk.clock.now / 1000
      return try await desk.fault { claims in
        claims["iat"] = .number(JSONNumber(now + issued))
        claims["exp"] = .number(JSONNumber(now + expires))
      }
    }
    #expect(try await at(-120, -59) == nil)
    #expect(try await at(-120, -60) == .token(.expired))
    #expect(try await at(60, 120) == nil)
    #expect(try await at(61, 120) == .token(.notYetValid))
    // Apple's live for a day; after ten minutes and the allowance it is somebody else's turn.
    #expect(try await at(-659, 86_400) == nil)
    #expect(try await at(-660, 86_400) == .token(.expired))
    #expect(try await at(0, 0) == .token(.lifetime))
    #expect(try await at(10, 5) == .token(.lifetime))
    for name in ["iat", "exp"] {
      for value: JSONValue? in [nil, "1800000000", -1, .number(JSONNumber(Int64(1) << 54))] {
        #expect(try await desk.fault { $0[name] = value } == .token(.claims), "\(name)")
      }
    }
    let later = desk.clock.now / 1000 + 61
    let early = try await desk.fault { $0["nbf"] = .number(JSONNumber(later)) }
    #expect(early == .token(.notYetValid))
    let hour = desk.clock.now / 1000 - 3600
    let old = try await desk.accepted { $0["auth_time"] = .number(JSONNumber(hour)) }
    #expect(old.authenticated == hour * 1000)
    #expect(try await desk.fault { $0["auth_time"] = "then" } == .token(.claims))
  }

  @Test("Only the nonce that was given out for this, here and lately, is accepted")
  func nonce_other_isRefused() async throws {
    let desk = try Desk()
    #expect(try await desk.fault { $0["nonce"] = nil } == .nonce)
    #expect(try await desk.fault { $0["nonce"] = "" } == .nonce)
    let raw = desk.nonce()
    func shown(_ nonce: String, _ rawNonce: String) async throws -> IdentityTokenFault? {
      let claims = desk.provider.claims("s", nonce: nonce)
      return try await desk.fault(TestProvider.token(claims), rawNonce)
    }
    #expect(try await shown(try desk.expected(raw), raw) == nil)
    // Apple must be given the digest: the raw one in a token was seen on the way.
    #expect(try await shown(raw, raw) == .nonce)
    #expect(try await shown(try desk.expected(desk.nonce()), raw) == .nonce)
    for made in ["", "AAAA", raw + "A", Base64URL.encode([UInt8](repeating: 1, count: 73))] {
      #expect(try await shown(try desk.expected(made), made) == .nonceUnknown, "\(made)")
    }
    let purposes: [SignInNonces.Purpose] = [
      .signIn(provider: "google"), .link(provider: "apple", session: "ses_1"),
    ]
    for purpose in purposes {
      let other = desk.providers.nonces.make(
        for: purpose,
        now: desk.clock.now,
        SystemRandomSource()
      )
      #expect(try await shown(try desk.expected(other), other) == .nonceUnknown)
    }
    desk.clock.advance(SignInNonces.lifetime - 1)
    #expect(try await shown(try desk.expected(raw), raw) == nil)
    desk.clock.advance(1)
    #expect(try await shown(try desk.expected(raw), raw) == .nonceUnknown)
    // From before somebody set the clock back.
    desk.clock.jump(-SignInNonces.lifetime - 60_001)
    #expect(try await shown(try desk.expected(raw), raw) == .nonceUnknown)
  }

  @Test("A subject has up to 255 printable characters")
  func subject_impossible_isRefused() async throws {
    let desk = try Desk()
    let longest = String(repeating: "s", count: 255)
    #expect(try await desk.fault { $0["sub"] = .string(longest) } == nil)
    for subject in ["", "größe", "a\u{0}", longest + "s"] {
      #expect(try await desk.fault { $0["sub"] = .string(subject) } == .subject)
    }
    #expect(try await desk.fault { $0["sub"] = nil } == .subject)
    #expect(try await desk.fault { $0["sub"] = 1 } == .subject)
  }

  @Test(
    "An address is taken if mail can be sent there, and is proven only by whom we trust with it"
  )
  func email_claims_areTakenWithCare() async throws {
    let desk = try Desk()
    for value: JSONValue in [true, "true"] {
      #expect(try await desk.accepted { $0["email_verified"] = value }.isEmailVerified)
    }
    for value: JSONValue? in [nil, false, "false", "TRUE", "1", 1, ["true"]] {
      #expect(try await desk.accepted { $0["email_verified"] = value }.isEmailVerified == false)
    }
    for address in ["a@b\r\nBcc: eve@example.org", "nobody", "-x@example.org", ""] {
      let claims = try await desk.accepted { $0["email"] = .string(address) }
      #expect(claims.email == nil && !claims.isEmailVerified, "\(address)")
    }
    let wary = try Desk(
      { TestProvider("work", issuer: "https://work.example", clock: $0) },
      """
      {"issuers": ["https://work.example"], "client_ids": ["client"], "keys": {"file": "unused"}}
      """
    )
    #expect(try await wary.accepted().isEmailVerified == false)
  }

  @Test("Google is one issuer with two names, and knows only the addresses that it gives out")
  func google_shape_isUnderstood() async throws {
    let desk = try Desk(
      TestProvider.google,
      #"{"client_ids": ["client"], "trust_email_verified": true}"#
    )
    let plain = try await desk.accepted { $0["iss"] = "accounts.google.com" }
    #expect(plain.issuer == "https://accounts.google.com")
    #expect(!plain.isEmailVerified)
    let own = try await desk.accepted { $0["email"] = "Ada@GMail.com" }
    #expect(own.isEmailVerified && own.email == "Ada@GMail.com")
    let managed = try await desk.accepted { claims in
      claims["hd"] = "example.org"
      claims["email_verified"] = "true"
    }
    #expect(managed.isEmailVerified)
    #expect(try await desk.accepted { $0["email"] = "a@notgmail.com" }.isEmailVerified == false)
    let unasked = try Desk(TestProvider.google, #"{"client_ids": ["client"]}"#)
    #expect(try await unasked.accepted { $0["email"] = "a@gmail.com" }.isEmailVerified == false)
    let closed = try Desk(
      TestProvider.google,
      #"{"client_ids": ["client"], "hosted_domains": ["example.org"]}"#
    )
    #expect(try await closed.fault { $0["hd"] = "example.org" } == nil)
    // The text of the address says nothing.
    #expect(try await closed.fault() == .hostedDomain)
    #expect(try await closed.fault { $0["hd"] = "example.org.evil.example" } == .hostedDomain)
  }

  @Test("A token that was not asked for here makes nobody fetch keys")
  func keys_unaskedToken_areNotFetched() async throws {
    let desk = try Desk()
    #expect(try await desk.fault { $0["nonce"] = "made up" } == .nonce)
    #expect(try await desk.fault { $0["aud"] = "somebody" } == .token(.audience))
    #expect(desk.provider.readCount == 0)
    #expect(try await desk.fault() == nil)
    #expect(desk.provider.readCount == 1)
  }
}
