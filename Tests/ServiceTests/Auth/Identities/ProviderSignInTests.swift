import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Signing in with other providers' identities")
struct ProviderSignInTests {
  private static let invalid = "UNAUTHENTICATED IDENTITY_TOKEN_INVALID"

  @Test("The first sign-in with Apple makes an account, and the next ones find it by its subject")
  func apple_firstTime_makesAnAccount() async throws {
    try await IdentityStage.run { stage in
      let challenge = try await stage.stage.identities.startAppleSignIn(.init())
      #expect(challenge.issuer == "https://appleid.apple.com" && challenge.clientIds == ["client"])
      #expect(challenge.nonce == SignInNonces.expected(of: challenge.rawNonce, .sha256))
      #expect(challenge.expiresAt?.milliseconds == stage.stage.clock.now + 600_000)
      var claims = stage.apple.claims("001.a", nonce: challenge.nonce, email: "x1@relay.example")
      claims["is_private_email"] = true
      claims["name"] = "Not Apple's to say"
      let first = try await stage.stage.identities.signInWithApple(
        .init(
          identityToken: TestProvider.token(claims),
          rawNonce: challenge.rawNonce,
          profile: .init(displayName: "Ada", firstName: "A", lastName: "L", language: "de")
        )
      )
      let user = try #require(first.user)
      #expect(user.email == "x1@relay.example" && user.emailVerified && user.displayName == "Ada")
      #expect(user.firstName == "A" && user.lastName == "L" && user.language == "de")
      let token = try stage.claims(first)
      #expect(token.acr == "fed" && token.methods == ["fed"] && token.userID == user.id)
      // Apple tells the address only at times, and another one does not matter.
      let again = try await stage.signIn(stage.apple, "001.a", email: nil)
      #expect(again.user?.id == user.id && again.user?.email == "x1@relay.example")
      let moved = try await stage.signIn(stage.apple, "001.a", email: "other@example.org")
      #expect(moved.user?.id == user.id && moved.user?.email == "x1@relay.example")
      let stranger = try await stage.signIn(stage.apple, "001.b", email: "other@example.org")
      #expect(stranger.user?.id != user.id)
      #expect(try await stage.count("account") == 2)
      #expect(
        try await stage.stage.audited("user.sign_up")
          == ["user.sign_up \(user.id)", "user.sign_up \(stranger.user?.id ?? "")"]
      )
      let list = try await stage.list(again)
      #expect(list.identities.map(\.provider) == ["apple"] && !list.hasPassword)
      #expect(list.identities.first?.email == "other@example.org")
    }
  }

  @Test("Google's token makes an account with its name and address")
  func google_firstTime_makesAnAccount() async throws {
    try await IdentityStage.run { stage in
      let answer = try await stage.signIn(stage.google, "110248", email: "ada@gmail.com") {
        claims in
        claims["iss"] = "accounts.google.com"
        claims["azp"] = "client"
        claims["name"] = "Ada Lovelace"
        claims["picture"] = "https://lh3.example/a"
        claims["at_hash"] = "HK6E_P6Dh8Y93mRNtsDB1Q"
      }
      #expect(answer.user?.displayName == "Ada Lovelace" && answer.user?.emailVerified == true)
      // The other name of the issuer is the same person.
      let again = try await stage.signIn(stage.google, "110248", email: "ada@gmail.com")
      #expect(again.user?.id == answer.user?.id)
      // The same subject of somebody else is somebody else.
      let other = try await stage.signIn(stage.work, "110248", email: "other@example.org")
      #expect(other.user?.id != answer.user?.id)
      // No name in the token, and one that hides something.
      #expect(other.user?.displayName == "other")
      let hostile = try await stage.signIn(stage.work, "2", email: "eve@example.org") { claims in
        claims["name"] = "Ada\u{202E}"
      }
      #expect(hostile.user?.displayName == "eve")
    }
  }

  @Test("A nonce is used once, also by many at a time")
  func nonce_usedTwice_isRefused() async throws {
    try await IdentityStage.run { stage in
      let (token, nonce) = try await stage.token(stage.apple, "001.a")
      let outcomes = await withTaskGroup(of: String.self) { group in
        for _ in 0..<8 {
          group.addTask {
            await outcome {
              _ = try await stage.stage.identities.signIn(
                .init(provider: "apple", identityToken: token, rawNonce: nonce)
              )
            }
          }
        }
        return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(outcomes == ["OK": 1, Self.invalid: 7])
      // Also once the identity is gone, and the address is still there.
      try await stage.stage.service.core.store.writeOwn { tx in
        try tx.execute("DELETE FROM identity")
      }
      let again = await outcome {
        _ = try await stage.stage.identities.signIn(
          .init(provider: "apple", identityToken: token, rawNonce: nonce)
        )
      }
      #expect(again == Self.invalid)
      #expect(try await stage.count("account") == 1)
      #expect(try await stage.count("session") == 1)
      #expect(try await stage.count("used_nonce") == 1)
      // Kept for as long as it could be shown again.
      for (passed, left) in [(SignInNonces.lifetime, Int64(1)), (3_600_001, 0)] {
        stage.stage.clock.advance(passed)
        try await stage.stage.service.maintain()
        #expect(try await stage.count("used_nonce") == left)
      }
    }
  }

  @Test("Two first sign-ins of one identity at once both succeed, with one account")
  func signIn_twoFirstOnes_bothSucceed() async throws {
    try await IdentityStage.run { stage in
      for round in 0..<10 {
        let subject = "001.\(round)"
        let email = "ada\(round)@example.org"
        let (first, second) = (
          try await stage.token(stage.apple, subject, email: email),
          try await stage.token(stage.apple, subject, email: email)
        )
        let users = try await withThrowingTaskGroup(of: String.self) { group in
          for (token, nonce) in [first, second] {
            group.addTask {
              let answer = try await stage.stage.identities.signIn(
                .init(provider: "apple", identityToken: token, rawNonce: nonce)
              )
              return answer.user?.id ?? ""
            }
          }
          return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(users.count == 1)
        #expect(try await stage.count("account") == Int64(round + 1))
      }
    }
  }

  @Test("A first sign-in that a link overtakes signs in to the account that it was linked to")
  func signIn_linkWins_signsInThere() async throws {
    try await IdentityStage.run { stage in
      for round in 0..<10 {
        let subject = "001.\(round)"
        let ada = try await stage.stage.signUp("ada\(round)@example.org")
        let (token, nonce) = try await stage.token(
          stage.apple,
          subject,
          email: "relay\(round)@example.org"
        )
        async let linked = outcome {
          _ = try await stage.link(stage.apple, subject, email: nil, by: ada)
        }
        async let signedIn = outcome {
          _ = try await stage.stage.identities.signIn(
            .init(provider: "apple", identityToken: token, rawNonce: nonce)
          )
        }
        // Linking is refused if the sign-in came first, and says so.
        let outcomes = await (linked, signedIn)
        #expect(["OK", "ALREADY_EXISTS IDENTITY_IN_USE"].contains(outcomes.0))
        #expect(outcomes.1 == "OK")
      }
    }
  }

  @Test(
    "A request that is repeated with its key gets the session that it began, until that is used"
  )
  func signIn_repeatedWithKey_isAnsweredAgain() async throws {
    try await IdentityStage.run { stage in
      let (token, nonce) = try await stage.token(stage.apple, "001.a")
      func request(_ device: String = "phone") async throws -> Auth_V1.SignInResponse {
        try await stage.stage.identities.signIn(
          .init(
            provider: "apple",
            identityToken: token,
            rawNonce: nonce,
            device: .init(name: device),
            idempotencyKey: "key"
          )
        )
      }
      let first = try await request()
      let second = try await request()
      #expect(first.tokens?.refreshToken == second.tokens?.refreshToken)
      #expect(first.user?.id == second.user?.id)
      #expect(try await stage.count("account") == 1)
      #expect(try await stage.count("session") == 1)
      let other = await outcome { _ = try await request("tablet") }
      #expect(other == "ALREADY_EXISTS IDEMPOTENCY_KEY_REUSED")
      _ = try await stage.stage.authentication.refresh(
        .init(refreshToken: first.tokens?.refreshToken ?? "")
      )
      #expect(await outcome { _ = try await request() } == "ALREADY_EXISTS SESSION_IN_USE")
    }
  }

  @Test("An account with the address is never taken over, whoever vouches for the address")
  func signIn_addressOfAnAccount_asksForItsCredential() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.stage.signUp("ada@gmail.com")
      let mail = try await stage.stage.takeToken("verify-email", to: "ada@gmail.com")
      for isVerified in [false, true] {
        if isVerified {
          _ = try await stage.stage.accounts.verifyEmail(
            .init(token: mail),
            options: stage.stage.with(ada)
          )
        }
        for provider in [stage.apple, stage.google, stage.work] {
          let refused = await outcome {
            _ = try await stage.signIn(provider, "mallory", email: "ADA@gmail.com")
          }
          #expect(refused == "ALREADY_EXISTS IDENTITY_NOT_LINKED")
        }
      }
      #expect(try await stage.count("identity") == 0)
      // With the account's own credential it is linked, and signs in from then on.
      let linked = try await stage.link(stage.google, "ada", email: "ada@gmail.com", by: ada)
      #expect(linked.provider == "google" && linked.email == "ada@gmail.com")
      let answer = try await stage.signIn(stage.google, "ada", email: "ada@gmail.com")
      #expect(answer.user?.id == ada.user?.id)
    }
  }

  @Test("A token without an address makes no account, but can be linked to one")
  func signIn_withoutAddress_isRefused() async throws {
    try await IdentityStage.run { stage in
      for email in [nil, "a@b\r\nBcc: eve@example.org"] {
        let refused = await outcome {
          _ = try await stage.signIn(stage.apple, "001.a", email: email)
        }
        #expect(refused == "FAILED_PRECONDITION IDENTITY_WITHOUT_EMAIL")
      }
      let ada = try await stage.stage.signUp()
      _ = try await stage.link(stage.apple, "001.a", email: nil, by: ada)
      let answer = try await stage.signIn(stage.apple, "001.a", email: nil)
      #expect(answer.user?.id == ada.user?.id)
    }
  }

  @Test("An address of a provider that is not trusted with it has to be proven")
  func signIn_untrustedAddress_isNotVerified() async throws {
    try await IdentityStage.run { stage in
      let answer = try await stage.signIn(stage.work, "1")
      #expect(answer.user?.emailVerified == false)
      let token = try await stage.stage.takeToken("verify-email", to: "ada@example.org")
      _ = try await stage.stage.accounts.verifyEmail(
        .init(token: token),
        options: stage.stage.with(answer)
      )
      let me = try await stage.stage.users.getMe(.init(), options: stage.stage.with(answer))
      #expect(me.emailVerified)
      // A trusted one has nothing to prove.
      _ = try await stage.signIn(stage.apple, "2", email: "bob@example.org")
      #expect(try await stage.stage.takeMails().isEmpty)
    }
  }

  @Test("An account without a password answers wrong ones as any other, and can get one")
  func password_none_isRefusedAndReset() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.signIn(stage.apple, "001.a")
      let refused = await outcome { _ = try await stage.stage.signIn() }
      #expect(refused == "UNAUTHENTICATED INVALID_CREDENTIALS")
      let change = await outcome {
        try await stage.stage.changePassword(ada, to: "a long phrase 1")
      }
      #expect(change == "UNAUTHENTICATED INVALID_CREDENTIALS")
      _ = try await stage.stage.accounts.requestPasswordReset(.init(email: "ada@example.org"))
      let token = try await stage.stage.takeToken("reset-password", to: "ada@example.org")
      _ = try await stage.stage.accounts.resetPassword(
        .init(token: token, newPassword: AuthStage.password)
      )
      #expect(await stage.isAlive(ada) == false)
      let answer = try await stage.stage.signIn()
      #expect(answer.user?.id == ada.user?.id)
      // The address was proven by Apple, so its identity stays.
      #expect(try await stage.list(answer).hasPassword)
      #expect(try await stage.signIn(stage.apple, "001.a").user?.id == ada.user?.id)
    }
  }

  @Test("When the user proved it to the provider is when it counts as proven here")
  func authTime_old_isNotFresh() async throws {
    try await IdentityStage.run { stage in
      let hour = stage.stage.clock.now / 1000 - 3600
      let old = try await stage.signIn(stage.work, "1") { claims in
        claims["auth_time"] = .number(JSONNumber(hour))
      }
      #expect(try stage.claims(old).authenticated == hour * 1000)
      let stale = await outcome { _ = try await stage.link(stage.google, "2", by: old) }
      #expect(stale == "UNAUTHENTICATED STEP_UP_REQUIRED")
      let future = try await stage.signIn(stage.work, "1") { claims in
        claims["auth_time"] = .number(JSONNumber(hour + 7200))
      }
      #expect(try stage.claims(future).authenticated == stage.stage.clock.now / 1000 * 1000)
      _ = try await stage.link(stage.google, "2", by: future)
    }
  }

  @Test("The owner is told of a sign-in from a device that is not known")
  func signIn_newDevice_isTold() async throws {
    try await IdentityStage.run { stage in
      let first = try await stage.signIn(stage.apple, "001.a")
      #expect(try await stage.stage.takeMails().isEmpty)
      _ = try await stage.signIn(stage.apple, "001.a", deviceToken: first.deviceToken)
      #expect(try await stage.stage.takeMails().isEmpty)
      _ = try await stage.signIn(stage.apple, "001.a")
      let mails = try await stage.stage.takeMails()
      #expect(mails.map { $0.headers["Subject"] } == ["New sign-in to your account"])
    }
  }

  @Test("While the provider's keys cannot be had, it says so, and nothing is used up")
  func signIn_keysUnavailable_canBeRepeated() async throws {
    try await IdentityStage.run { stage in
      stage.apple.change { $0.isDown = true }
      let (token, nonce) = try await stage.token(stage.apple, "001.a")
      func attempt() async -> String {
        await outcome {
          _ = try await stage.stage.identities.signIn(
            .init(provider: "apple", identityToken: token, rawNonce: nonce)
          )
        }
      }
      #expect(await attempt() == "UNAVAILABLE PROVIDER_KEYS_UNAVAILABLE")
      stage.apple.change { $0.isDown = false }
      stage.stage.clock.advance(60_000)
      #expect(await attempt() == "OK")
      let series = "gatehouse_auth_identity_tokens_total"
      #expect(
        stage.stage.metric(#"\#(series){provider="apple",outcome="keysUnavailable"}"#) == 1
      )
      #expect(stage.stage.metric(#"\#(series){provider="apple",outcome="accepted"}"#) == 1)
    }
  }

  @Test("Providers that are not set up are not found, and every wrong token gets one answer")
  func signIn_wrong_isOneAnswer() async throws {
    try await IdentityStage.run { stage in
      let unknown = await outcome {
        _ = try await stage.stage.identities.startSignIn(.init(provider: "facebook"))
      }
      #expect(unknown == "NOT_FOUND PROVIDER_NOT_FOUND")
      let (token, nonce) = try await stage.token(stage.apple, "001.a")
      for (provider, token, nonce) in [
        ("google", token, nonce), ("apple", "x", nonce), ("apple", token, "x"),
        ("apple", token + "A", nonce),
      ] {
        let refused = await outcome {
          _ = try await stage.stage.identities.signIn(
            .init(provider: provider, identityToken: token, rawNonce: nonce)
          )
        }
        #expect(refused == Self.invalid)
      }
      // One for linking does not sign in, nor the other way round.
      let ada = try await stage.signIn(stage.apple, "001.a")
      let challenge = try await stage.stage.identities.startLink(
        .init(provider: "google"),
        options: stage.stage.with(ada)
      )
      let claims = stage.google.claims("1", nonce: challenge.nonce, email: "ada@gmail.com")
      let crossed = await outcome {
        _ = try await stage.stage.identities.signIn(
          .init(
            provider: "google",
            identityToken: TestProvider.token(claims),
            rawNonce: challenge.rawNonce
          )
        )
      }
      #expect(crossed == Self.invalid)
    }
  }

  @Test("A disabled account is not signed in to with its identity either")
  func signIn_disabled_isRefused() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.signIn(stage.apple, "001.a")
      let boss = try await stage.stage.signUp("boss@example.org")
      stage.stage.peers.change { $0.operators = [boss.user?.id ?? ""] }
      _ = try await Auth_V1.OperatorsClient(stage.stage.channel).disableUser(
        .init(userId: ada.user?.id ?? "", reason: "stolen"),
        options: stage.stage.with(boss)
      )
      #expect(await stage.isAlive(ada) == false)
      let refused = await outcome { _ = try await stage.signIn(stage.apple, "001.a") }
      #expect(refused == Self.invalid)
    }
  }

  @Test("One source may show so many wrong tokens, and right ones do not count")
  func signIn_manyWrong_areLimited() async throws {
    var ground = try AuthStage.Ground()
    let provider = TestProvider.apple(ground.clock)
    ground.settings.providers = [try .test("apple", #"{"client_ids": ["client"]}"#)]
    ground.settings.sourceLimits.failures = 3
    ground.settings.sourceLimits.countsLoopback = true
    ground.keySetOrigin = { _ in provider }
    try await AuthStage.run(on: ground) { stage in
      let identity = IdentityStage(stage: stage, apple: provider, google: provider, work: provider)
      for _ in 0..<5 { _ = try await identity.signIn(provider, "001.a") }
      func wrong() async -> String {
        await outcome {
          _ = try await stage.identities.signIn(
            .init(provider: "apple", identityToken: "x", rawNonce: "x")
          )
        }
      }
      for _ in 0..<3 { #expect(await wrong() == Self.invalid) }
      #expect(await wrong() == "RESOURCE_EXHAUSTED TOO_MANY_ATTEMPTS")
      let forged = await outcome {
        _ = try await stage.identities.notifyApple(.init(payload: "x"))
      }
      #expect(forged == "RESOURCE_EXHAUSTED TOO_MANY_ATTEMPTS")
    }
  }

  @Test("Providers are listed whose settings say how browsers sign in, and with which client")
  func listProviders_haveThoseForBrowsers() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.providers = try [
      .test(
        "google",
        #"{"client_ids": ["app", "web"], "browser": {"client_id": "web"}}"#
      ),
      .test("apple", #"{"client_ids": ["app"]}"#),
      .test(
        "work",
        """
        {"issuers": ["https://work.example"], "client_ids": ["web"], "keys": {"file": "none"},
         "browser": {"client_id": "web", "authorization_url": "https://work.example/authorize?p=1",
                     "scope": "openid"}}
        """
      ),
    ]
    try await AuthStage.run(on: ground) { stage in
      let listed = try await stage.identities.listProviders(.init())
      #expect(
        listed.providers == [
          .init(
            name: "google",
            authorizationUrl: "https://accounts.google.com/o/oauth2/v2/auth",
            clientId: "web",
            scope: "openid email profile"
          ),
          .init(
            name: "work",
            authorizationUrl: "https://work.example/authorize?p=1",
            clientId: "web",
            scope: "openid"
          ),
        ]
      )
    }
  }

  @Test(
    "A browser's client is one of the provider's, and goes to an https URL",
    arguments: [
      #"{}"#, #"{"client_id": "other", "authorization_url": "https://work.example/"}"#,
      #"{"client_id": "web"}"#,
      #"{"client_id": "web", "authorization_url": "http://work.example/"}"#,
      #"{"client_id": "web", "authorization_url": "https://work.example/#a"}"#,
    ]
  )
  func browser_wrongSettings_areRefused(settings: String) {
    #expect(throws: JSONDecodingError.self) {
      try IdentityProvider.test(
        "work",
        """
        {"issuers": ["https://work.example"], "client_ids": ["web"], "keys": {"file": "none"},
         "browser": \(settings)}
        """
      )
    }
  }
}
