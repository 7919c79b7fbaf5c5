import PeerContracts
import AuthContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("What Apple tells of its users")
struct AppleNotificationTests {
  private static let invalid = "INVALID_ARGUMENT NOTIFICATION_INVALID"

  private func event(
    _ type: String,
    _ subject: String,
    at time: Int64,
    email: String? = nil
  )
    -> JSONObject
  {
    var event: JSONObject = [
      "type": .string(type), "sub": .string(subject), "event_time": .number(JSONNumber(time)),
    ]
    if let email {
      event["email"] = .string(email)
      event["is_private_email"] = "true"
    }
    return event
  }

  private func notify(
    _ stage: IdentityStage,
    _ id: String,
    _ event: JSONObject
  ) async throws -> String {
    let payload = stage.apple.notification(id, event)
    let answer = try await stage.stage.identities.notifyApple(.init(payload: payload))
    return (answer.duplicate ? "duplicate " : "") + (answer.applied ? "applied" : "nothing")
  }

  @Test("Withdrawn consent signs the user out, and a newer token brings the user back")
  func consentRevoked_lastWayIn_isSuspended() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.signIn(stage.apple, "1")
      let (early, nonce) = try await stage.token(stage.apple, "1")
      stage.stage.clock.advance(1000)
      let revoked = event("consent-revoked", "1", at: stage.stage.clock.now)
      #expect(try await notify(stage, "n1", revoked) == "applied")
      #expect(await stage.isAlive(ada) == false)
      // A token from before that opens nothing.
      let late = await outcome {
        _ = try await stage.stage.identities.signIn(
          .init(provider: "apple", identityToken: early, rawNonce: nonce)
        )
      }
      #expect(late == "UNAUTHENTICATED IDENTITY_TOKEN_INVALID")
      stage.stage.clock.advance(1000)
      let back = try await stage.signIn(stage.apple, "1")
      #expect(back.user?.id == ada.user?.id)
      #expect(try await stage.list(back).identities.first?.withdrawnAt == nil)
      // The same notification again, and an older one that comes late, change nothing.
      #expect(try await notify(stage, "n1", revoked) == "duplicate nothing")
      #expect(try await notify(stage, "n2", revoked) == "nothing")
      #expect(await stage.isAlive(back))
      #expect(
        try await stage.stage.audited("identity.notify").count == 1
      )
    }
  }

  @Test(
    "With another way in, the identity is taken off and the sessions end",
    arguments: ["consent-revoked", "account-delete", "account-deleted"]
  )
  func withdrawn_withPassword_isUnlinked(type: String) async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.stage.signUp()
      _ = try await stage.link(stage.apple, "1", by: ada)
      let bob = try await stage.signIn(stage.apple, "2", email: "bob@example.org")
      stage.stage.clock.advance(1000)
      let withdrawn = event(type, "1", at: stage.stage.clock.now)
      #expect(try await notify(stage, "n1", withdrawn) == "applied")
      #expect(await stage.isAlive(ada) == false)
      #expect(await stage.isAlive(bob))
      let back = try await stage.stage.signIn()
      #expect(try await stage.list(back).identities.isEmpty)
    }
  }

  @Test(
    "An account whose only way in was one that Apple deleted is deleted, unless its owner objects"
  )
  func accountDeleted_lastWayIn_beginsDeletion() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.deletion.grace = 3_600_000
    try await IdentityStage.run(on: ground) { stage in
      let deletions = Auth_V1.DeletionsClient(stage.stage.channel)
      let ada = try await stage.signIn(stage.apple, "1")
      let bob = try await stage.signIn(stage.apple, "2", email: "bob@example.org")
      stage.stage.clock.advance(1000)
      for subject in ["1", "2"] {
        let deleted = event("account-deleted", subject, at: stage.stage.clock.now)
        #expect(try await notify(stage, "n\(subject)", deleted) == "applied")
      }
      #expect(await stage.isAlive(ada) == false)
      let (first, second) = (ada.user?.id ?? "", bob.user?.id ?? "")
      let deletion = try await stage.stage.service.core.database.read { tx in
        try DeletionTable.find(of: second, in: tx)
      }
      #expect(deletion?.step == .waiting)
      #expect(
        try await stage.stage.audited("user.delete")
          == ["user.delete \(first)", "user.delete \(second)"]
      )
      // Whoever reads the mail of the address can come back in the grace period.
      _ = try await stage.stage.accounts.requestPasswordReset(.init(email: "ada@example.org"))
      let token = try await stage.stage.takeToken("reset-password", to: "ada@example.org")
      _ = try await stage.stage.accounts.resetPassword(
        .init(token: token, newPassword: AuthStage.password)
      )
      let back = try await stage.stage.signIn()
      #expect(back.user?.id == ada.user?.id)
      #expect(try await stage.list(back).identities.first?.withdrawnAt != nil)
      _ = try await deletions.cancelDeletion(.init(), options: stage.stage.with(back))
      stage.stage.clock.advance(3_600_000)
      await stage.stage.workOffDeletions()
      let done = try await deletions.getDeletion(.init(deletionId: deletion?.id ?? ""))
      #expect(done.state == .done)
      _ = try await stage.stage.signIn()
      #expect(try await stage.count("account") == 1)
    }
  }

  @Test("Once an account is deleted, late notifications and tokens bring nothing of it back")
  func deleted_identity_comesBackWithANewerToken() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.deletion.grace = 0
    try await IdentityStage.run(on: ground) { stage in
      let bob = try await stage.stage.signUp("bob@example.org")
      let ada = try await stage.signIn(stage.apple, "1")
      let (early, nonce) = try await stage.token(stage.apple, "1")
      let forLink = try await stage.stage.identities.startLink(
        .init(provider: "apple"),
        options: stage.stage.with(bob)
      )
      let claims = stage.apple.claims("1", nonce: forLink.nonce)
      let earlyLink = TestProvider.token(claims)
      stage.stage.clock.advance(1000)
      let deletions = Auth_V1.DeletionsClient(stage.stage.channel)
      let begun = try await deletions.deleteAccount(.init(), options: stage.stage.with(ada))
      await stage.stage.workOffDeletions()
      #expect(try await deletions.getDeletion(.init(deletionId: begun.id)).state == .done)
      let late = event("account-deleted", "1", at: stage.stage.clock.now)
      #expect(try await notify(stage, "n1", late) == "nothing")
      // Tokens from before the deletion.
      let signedIn = await outcome {
        _ = try await stage.stage.identities.signIn(
          .init(provider: "apple", identityToken: early, rawNonce: nonce)
        )
      }
      #expect(signedIn == "UNAUTHENTICATED IDENTITY_TOKEN_INVALID")
      let linked = await outcome {
        _ = try await stage.stage.identities.link(
          .init(provider: "apple", identityToken: earlyLink, rawNonce: forLink.rawNonce),
          options: stage.stage.with(bob)
        )
      }
      #expect(linked == "UNAUTHENTICATED IDENTITY_TOKEN_INVALID")
      #expect(try await stage.count("identity") == 0)
      // A later one is the user's own wish, and makes another account.
      stage.stage.clock.advance(2000)
      let again = try await stage.signIn(stage.apple, "1")
      #expect(again.user?.id != ada.user?.id)
      // What happened before that is not about it.
      #expect(try await notify(stage, "n2", late) == "nothing")
      #expect(await stage.isAlive(again))
      // The new account's deletion counts from its own time.
      let (between, second) = try await stage.token(stage.apple, "1")
      stage.stage.clock.advance(1000)
      _ = try await deletions.deleteAccount(.init(), options: stage.stage.with(again))
      await stage.stage.service.deletions.workOff()
      let refused = await outcome {
        _ = try await stage.stage.identities.signIn(
          .init(provider: "apple", identityToken: between, rawNonce: second)
        )
      }
      #expect(refused == "UNAUTHENTICATED IDENTITY_TOKEN_INVALID")
    }
  }

  @Test("To an address that Apple does not forward no mail is sent until Apple does again")
  func emailDisabled_address_getsNoMail() async throws {
    try await IdentityStage.run { stage in
      _ = try await stage.signIn(stage.apple, "1", email: "x1@relay.example")
      let now = stage.stage.clock.now
      let off = event("email-disabled", "1", at: now, email: "x1@relay.example")
      #expect(try await notify(stage, "n1", off) == "applied")
      _ = try await stage.stage.accounts.requestPasswordReset(.init(email: "x1@relay.example"))
      #expect(try await stage.stage.takeMails().isEmpty)
      #expect(
        stage.stage.metric(#"gatehouse_auth_mail_attempts_total{outcome="refused"}"#) == 1
      )
      let on = event("email-enabled", "1", at: now, email: "x1@relay.example")
      #expect(try await notify(stage, "n2", on) == "applied")
      stage.stage.clock.advance(60_000)
      _ = try await stage.stage.accounts.requestPasswordReset(.init(email: "x1@relay.example"))
      #expect(try await stage.stage.takeMails().count == 1)
    }
  }

  @Test("What is not known here is acknowledged, and what Apple did not sign is not")
  func notification_unknownOrForged_changesNothing() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.signIn(stage.apple, "1")
      let now = stage.stage.clock.now
      let known = event("consent-revoked", "1", at: now + 1000)
      #expect(try await notify(stage, "n1", event("new-in-2030", "1", at: now)) == "nothing")
      #expect(try await notify(stage, "n2", event("consent-revoked", "9", at: now)) == "nothing")
      #expect(
        try await notify(stage, "n2", event("consent-revoked", "9", at: now)) == "duplicate nothing"
      )
      func refusal(
        _ change: (inout JSONObject) -> Void,
        by key: RSATestKey = .shared
      ) async -> String {
        let seconds = now / 1000
        var claims: JSONObject = [
          "iss": .string(stage.apple.issuer), "aud": "client", "jti": "n3",
          "iat": .number(JSONNumber(seconds)), "exp": .number(JSONNumber(seconds + 3600)),
          "events": .string(JSONValue.object(known).text),
        ]
        change(&claims)
        let payload = TestProvider.token(claims, by: .rsa(key))
        return await outcome {
          _ = try await stage.stage.identities.notifyApple(.init(payload: payload))
        }
      }
      #expect(await refusal({ _ in }, by: .other) == Self.invalid)
      #expect(await refusal { $0["iss"] = "https://accounts.google.com" } == Self.invalid)
      #expect(await refusal { $0["aud"] = "somebody" } == Self.invalid)
      #expect(await refusal { $0["exp"] = .number(JSONNumber(now / 1000 - 60)) } == Self.invalid)
      #expect(await refusal { $0["jti"] = nil } == Self.invalid)
      for events: JSONValue? in [
        nil, "", "{", "[]", "{}", 1, #"{"type": "consent-revoked", "sub": "1"}"#,
        #"{"type": "consent-revoked", "event_time": 1}"#,
      ] { #expect(await refusal { $0["events"] = events } == Self.invalid) }
      // An identity token of the user's is no notification.
      let (token, _) = try await stage.token(stage.apple, "1")
      let crossed = await outcome {
        _ = try await stage.stage.identities.notifyApple(.init(payload: token))
      }
      #expect(crossed == Self.invalid)
      #expect(await stage.isAlive(ada))
      // The object itself, as some examples have it, is understood too.
      #expect(await refusal { $0["events"] = .object(known) } == "OK")
      #expect(await stage.isAlive(ada) == false)
    }
  }

  @Test("It is remembered for longer than it could be sent again which notifications came")
  func notification_old_isForgotten() async throws {
    try await IdentityStage.run { stage in
      let event = event("consent-revoked", "9", at: stage.stage.clock.now)
      #expect(try await notify(stage, "n1", event) == "nothing")
      for (passed, left) in [(AppleEvent.ageMax, Int64(1)), (AppleEvent.ageMax + 1, 0)] {
        stage.stage.clock.advance(passed)
        try await stage.stage.service.maintain()
        #expect(try await stage.count("identity_notification") == left)
      }
    }
  }
}
