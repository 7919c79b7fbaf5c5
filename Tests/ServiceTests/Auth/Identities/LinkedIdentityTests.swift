import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Identities of an account")
struct LinkedIdentityTests {
  private static let invalid = "UNAUTHENTICATED IDENTITY_TOKEN_INVALID"

  @Test("Linking and unlinking are told to the owner, and end the other sessions")
  func link_andUnlink_endOtherSessions() async throws {
    try await IdentityStage.run { stage in
      let (ada, other) = (try await stage.stage.signUp(), try await stage.stage.signIn())
      _ = try await stage.stage.takeMails()
      let linked = try await stage.link(stage.google, "1", email: "ada@gmail.com", by: ada)
      #expect(linked.id.hasPrefix("idt_") && linked.usedAt == nil)
      #expect(linked.linkedAt?.milliseconds == stage.stage.clock.now)
      #expect(await stage.isAlive(ada))
      #expect(await stage.isAlive(other) == false)
      var mails = try await stage.stage.takeMails()
      #expect(mails.map { $0.headers["Subject"] } == ["Another way to sign in to your account"])
      #expect(mails.first?.recipient == "<ada@example.org>")
      #expect(mails.first?.text.contains("an account at google") == true)
      // Again is no change, and is told to nobody.
      let third = try await stage.stage.signIn()
      _ = try await stage.stage.takeMails()
      let again = try await stage.link(stage.google, "1", email: "ada@gmail.com", by: ada)
      #expect(again.id == linked.id)
      #expect(await stage.isAlive(third))
      #expect(try await stage.stage.takeMails().isEmpty)
      try await stage.unlink(linked.id, by: ada)
      #expect(await stage.isAlive(third) == false)
      mails = try await stage.stage.takeMails()
      #expect(
        mails.map { $0.headers["Subject"] } == ["A way to sign in to your account was removed"]
      )
      try await stage.unlink(linked.id, by: ada)
      #expect(try await stage.stage.takeMails().isEmpty)
      #expect(
        try await stage.stage.audited("identity.")
          == ["identity.link \(linked.id)", "identity.unlink \(linked.id)"]
      )
      let gone = await outcome {
        _ = try await stage.signIn(stage.google, "1", email: "ada@example.org")
      }
      #expect(gone == "ALREADY_EXISTS IDENTITY_NOT_LINKED")
    }
  }

  @Test("An identity is one account's, and no one can take another's off")
  func link_ofSomebodyElse_isRefused() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.stage.signUp()
      let bob = try await stage.stage.signUp("bob@example.org")
      let linked = try await stage.link(stage.google, "1", by: ada)
      let taken = await outcome { _ = try await stage.link(stage.google, "1", by: bob) }
      #expect(taken == "ALREADY_EXISTS IDENTITY_IN_USE")
      try await stage.unlink(linked.id, by: bob)
      #expect(try await stage.list(ada).identities.map(\.id) == [linked.id])
      #expect(try await stage.list(bob).identities.isEmpty)
    }
  }

  @Test("A token that somebody else asked for is linked to nobody")
  func link_nonceOfAnotherSession_isRefused() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.stage.signUp()
      let bob = try await stage.stage.signUp("bob@example.org")
      let challenge = try await stage.stage.identities.startLink(
        .init(provider: "google"),
        options: stage.stage.with(bob)
      )
      let signIn = try await stage.stage.identities.startSignIn(.init(provider: "google"))
      for challenge in [challenge, signIn] {
        let token = TestProvider.token(stage.google.claims("1", nonce: challenge.nonce))
        let refused = await outcome {
          _ = try await stage.stage.identities.link(
            .init(provider: "google", identityToken: token, rawNonce: challenge.rawNonce),
            options: stage.stage.with(ada)
          )
        }
        #expect(refused == Self.invalid)
      }
      #expect(try await stage.count("identity") == 0)
    }
  }

  @Test("Without a sign-in of late nothing is linked or taken off")
  func link_oldSession_needsStepUp() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.stage.signUp()
      let linked = try await stage.link(stage.google, "1", by: ada)
      stage.stage.clock.advance(301_000)
      let link = await outcome { _ = try await stage.link(stage.work, "1", by: ada) }
      #expect(link == "UNAUTHENTICATED STEP_UP_REQUIRED")
      let unlink = await outcome { try await stage.unlink(linked.id, by: ada) }
      #expect(unlink == "UNAUTHENTICATED STEP_UP_REQUIRED")
      #expect(try await stage.list(ada).identities.count == 1)
    }
  }

  @Test("The last way into an account stays, also when two are taken off at once")
  func unlink_lastWayIn_isRefused() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.signIn(stage.apple, "1")
      let first = try #require(try await stage.list(ada).identities.first)
      #expect(
        await outcome { try await stage.unlink(first.id, by: ada) }
          == "FAILED_PRECONDITION LAST_WAY_IN"
      )
      let second = try await stage.link(stage.google, "2", by: ada)
      let outcomes = await withTaskGroup(of: String.self) { group in
        for id in [first.id, second.id] {
          group.addTask { await outcome { try await stage.unlink(id, by: ada) } }
        }
        return await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(outcomes == ["OK", "FAILED_PRECONDITION LAST_WAY_IN"])
      let left = try await stage.list(ada).identities
      #expect(left.count == 1)
      // A password is another way.
      _ = try await stage.stage.accounts.requestPasswordReset(.init(email: "ada@example.org"))
      let token = try await stage.stage.takeToken("reset-password", to: "ada@example.org")
      _ = try await stage.stage.accounts.resetPassword(
        .init(token: token, newPassword: AuthStage.password)
      )
      let again = try await stage.stage.signIn()
      try await stage.unlink(try #require(left.first?.id), by: again)
      #expect(try await stage.list(again).identities.isEmpty)
    }
  }

  @Test("A passkey is a way into the account, and the last way stays whichever it is")
  func remove_lastWayIn_isRefused() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.signIn(stage.apple, "1")
      let identity = try #require(try await stage.list(ada).identities.first)
      let passkey = try await stage.stage.register(SoftAuthenticator(), for: ada)
      func remove(_ id: String) async -> String {
        await outcome {
          _ = try await stage.stage.passkeys.remove(
            .init(passkeyId: id),
            options: stage.stage.with(ada)
          )
        }
      }
      try await stage.unlink(identity.id, by: ada)
      #expect(await remove(passkey.id) == "FAILED_PRECONDITION LAST_WAY_IN")
      let other = try await stage.stage.register(SoftAuthenticator(), for: ada)
      let outcomes = await withTaskGroup(of: String.self) { group in
        for id in [passkey.id, other.id] { group.addTask { await remove(id) } }
        return await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(outcomes == ["OK", "FAILED_PRECONDITION LAST_WAY_IN"])
      let left = try await stage.stage.passkeys.list(.init(), options: stage.stage.with(ada))
      #expect(left.passkeys.count == 1)
      // One of another relying party signs nobody in: it can go, and is no way for an identity to go.
      let again = try await stage.link(stage.apple, "1", by: ada)
      try await stage.stage.service.core.store.writeOwn { tx in
        try tx.execute("UPDATE passkey SET relying_party = 'former.example'")
      }
      #expect(
        await outcome { try await stage.unlink(again.id, by: ada) }
          == "FAILED_PRECONDITION LAST_WAY_IN"
      )
      #expect(await remove(try #require(left.passkeys.first?.id)) == "OK")
    }
  }

  @Test("Somebody with a password can remove the last passkey")
  func remove_passkeyBesidePassword_isAllowed() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.stage.signUp()
      let passkey = try await stage.stage.register(SoftAuthenticator(), for: ada)
      let removed = try await stage.stage.passkeys.remove(
        .init(passkeyId: passkey.id),
        options: stage.stage.with(ada)
      )
      #expect(removed.wasRemoved)
    }
  }

  @Test("An account has up to twenty identities")
  func link_twentyFirst_isRefused() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.stage.signUp()
      for number in 0..<20 { _ = try await stage.link(stage.work, "\(number)", by: ada) }
      let refused = await outcome { _ = try await stage.link(stage.work, "20", by: ada) }
      #expect(refused == "FAILED_PRECONDITION TOO_MANY_IDENTITIES")
      #expect(try await stage.list(ada).identities.count == 20)
      _ = try await stage.link(stage.work, "19", by: ada)
    }
  }

  @Test("An account with an authenticator app takes its code after the provider's word as well")
  func signIn_withApp_takesACode() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.stage.signUp()
      let linked = try await stage.link(stage.google, "1", by: ada)
      let app = try await stage.stage.enroll(ada)
      func complete(_ first: Auth_V1.SignInResponse) async throws -> Auth_V1.SignInResponse {
        try await stage.stage.authentication.completeSignIn(
          .init(
            secondFactorToken: first.secondFactor?.token ?? "",
            code: app.code(at: stage.stage.clock.now)
          )
        )
      }
      stage.stage.clock.advance(TimeCode.period * 1000)
      let (token, nonce) = try await stage.token(stage.google, "1")
      func signIn() async throws -> Auth_V1.SignInResponse {
        try await stage.stage.identities.signIn(
          .init(provider: "google", identityToken: token, rawNonce: nonce)
        )
      }
      let first = try await signIn()
      #expect(first.tokens == nil && first.user == nil && first.deviceToken.isEmpty)
      // The identity token is used up although there is no session yet.
      #expect(await outcome { _ = try await signIn() } == Self.invalid)
      #expect(try await stage.list(ada).identities.first?.usedAt != nil)
      let answer = try await complete(first)
      let claims = try stage.claims(answer)
      #expect(claims.acr == "mfa")
      #expect(claims.methods == ["fed", "otp", "mfa"])
      #expect(answer.user?.id == ada.user?.id)
      // Unlinked between its halves, a sign-in opens nothing.
      stage.stage.clock.advance(TimeCode.period * 1000)
      let begun = try await stage.signIn(stage.google, "1")
      try await stage.unlink(linked.id, by: ada)
      #expect(await outcome { _ = try await complete(begun) } == "UNAUTHENTICATED SESSION_ENDED")
    }
  }

  @Test("An identity that was taken off while it signs in opens nothing")
  func signIn_unlinkedMeanwhile_isRefused() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.stage.signUp()
      let linked = try await stage.link(stage.google, "1", by: ada)
      stage.stage.clock.advance(3_600_000)
      stage.google.change { $0.isHeld = true }
      let (token, nonce) = try await stage.token(stage.google, "1")
      async let late = outcome {
        _ = try await stage.stage.identities.signIn(
          .init(provider: "google", identityToken: token, rawNonce: nonce)
        )
      }
      #expect(await stage.stage.eventually { stage.google.readCount == 2 })
      let fresh = try await stage.stage.signIn()
      try await stage.unlink(linked.id, by: fresh)
      stage.google.letGo()
      #expect(await late == "ALREADY_EXISTS IDENTITY_NOT_LINKED")
    }
  }
}
