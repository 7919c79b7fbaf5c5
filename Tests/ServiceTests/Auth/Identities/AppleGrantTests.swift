import AuthContracts
import PeerContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("What users allow at Apple")
struct AppleGrantTests {
  private func run(
    _ body: (IdentityStage, ScriptedApple) async throws -> Void
  ) async throws {
    var ground = try AuthStage.Ground()
    ground.settings.deletion.grace = 0
    let apple = ScriptedApple()
    let authorization = try apple.setUp(&ground)
    try await IdentityStage.run(on: ground, authorization: authorization) { stage in
      try await body(stage, apple)
    }
  }

  /// Signs in with Apple, and hands an authorization code over.
  private func signIn(
    _ stage: IdentityStage,
    code: String,
    hash: String? = nil,
    key: String = ""
  ) async throws -> Auth_V1.SignInResponse {
    let (token, nonce) = try await stage.token(stage.apple, "1") { claims in
      if let hash { claims["c_hash"] = .string(hash) }
    }
    return try await stage.stage.identities.signInWithApple(
      .init(
        identityToken: token,
        rawNonce: nonce,
        idempotencyKey: key,
        authorizationCode: code
      )
    )
  }

  /// States of what the store has, and whether it belongs to an identity.
  private func grants(_ stage: IdentityStage) async throws -> [String] {
    try await stage.stage.service.core.database.read { tx in
      try tx.query("SELECT state, identity_id IS NOT NULL FROM apple_grant ORDER BY id") { row in
        "\(row.integer(0)) \(row.boolean(1) ? "linked" : "loose")"
      }
    }
  }

  private func outcomes(_ stage: IdentityStage, _ outcome: String) -> Int {
    stage.stage.metric("gatehouse_auth_apple_grants_total{outcome=\"\(outcome)\"}")
  }

  @Test("A code is exchanged for a token, which is kept sealed and revoked as the identity goes")
  func code_life_endsWithARevocation() async throws {
    try await run { stage, apple in
      let ada = try await signIn(stage, code: "c+/= 1")
      #expect(apple.paths.isEmpty, "signing in does not wait for Apple")
      await stage.stage.service.appleGrants.workOff()
      let asked = try #require(apple.asked.first)
      #expect(asked.path == "/auth/token")
      #expect(asked.fields["grant_type"] == "authorization_code")
      #expect(asked.fields["code"] == "c+/= 1" && asked.fields["client_id"] == "client")
      let secret = try JSONWebToken(
        parsing: asked.fields["client_secret"] ?? "",
        .foreign(algorithms: ["ES256"])
      )
      #expect(secret.isSigned(by: ScriptedApple.key.verificationKey) && secret.keyID == "KEY")
      #expect(secret.claims["iss"] == "TEAM" && secret.claims["sub"] == "client")
      #expect(secret.claims["aud"] == "https://appleid.apple.com")
      let issued = try #require(secret.claims["iat"]?.integer)
      #expect(issued == stage.stage.clock.now / 1000)
      #expect(secret.claims["exp"]?.integer == issued + 300)
      #expect(try await grants(stage) == ["2 linked"])
      // Kept: nothing more is asked, now and later.
      stage.stage.clock.advance(3_600_000)
      await stage.stage.service.appleGrants.workOff()
      #expect(apple.paths == ["/auth/token"])
      let folder = try #require(stage.stage.service.settings.mail.spool).dropLast(5)
      let files = try FileManager.default.contentsOfDirectory(atPath: String(folder))
        .filter { $0.hasPrefix("auth.db") }
      #expect(TestServer.isUsed || !files.isEmpty)
      for name in files {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        #expect(bytes.range(of: Data("refresh c+".utf8)) == nil)
        #expect(bytes.range(of: Data("c+/= 1".utf8)) == nil)
      }
      let again = try await stage.signIn(stage.apple, "1")
      #expect(again.user?.id == ada.user?.id)
      _ = try await stage.link(stage.google, "2", by: again)
      let identity = try #require(
        try await stage.list(again).identities.first { $0.provider == "apple" }
      )
      try await stage.unlink(identity.id, by: again)
      #expect(try await grants(stage) == ["3 loose"])
      await stage.stage.service.appleGrants.workOff()
      let revoked = try #require(apple.asked.last)
      #expect(revoked.path == "/auth/revoke" && revoked.fields["token"] == "refresh c+/= 1")
      #expect(revoked.fields["token_type_hint"] == "refresh_token")
      #expect(revoked.fields["client_id"] == "client")
      #expect(try await grants(stage).isEmpty)
      #expect(outcomes(stage, "kept") == 1 && outcomes(stage, "revoked") == 1)
    }
  }

  @Test("A newer token takes the place of the one before, and a repeated request brings no second")
  func code_newer_relievesTheToken() async throws {
    try await run { stage, apple in
      _ = try await signIn(stage, code: "1")
      await stage.stage.service.appleGrants.workOff()
      let (token, nonce) = try await stage.token(stage.apple, "1")
      for _ in 0..<2 {
        _ = try await stage.stage.identities.signInWithApple(
          .init(
            identityToken: token,
            rawNonce: nonce,
            idempotencyKey: "k",
            authorizationCode: "2"
          )
        )
      }
      #expect(try await grants(stage).sorted() == ["1 linked", "2 linked"])
      await stage.stage.service.appleGrants.workOff()
      #expect(try await grants(stage) == ["2 linked"])
      #expect(apple.asked.map { $0.fields["code"] } == ["1", "2"])
    }
  }

  @Test("While Apple is away a code is tried for five minutes, and a sign-in does not care")
  func exchange_appleDown_isTriedAgain() async throws {
    try await run { stage, apple in
      apple.change { $0.isDown = true }
      let ada = try await signIn(stage, code: "1")
      #expect(await stage.isAlive(ada))
      for pause: Int64 in [1, 2, 4] {
        await stage.stage.service.appleGrants.workOff()
        let due = try await stage.stage.service.core.database.read { tx in
          try tx.first("SELECT due_at FROM apple_grant") { $0.integer(0) }
        }
        #expect(due == stage.stage.clock.now + pause * 1000)
        stage.stage.clock.advance(pause * 1000)
      }
      apple.change { state in
        state.isDown = false
        state.status = 503
      }
      await stage.stage.service.appleGrants.workOff()
      #expect(apple.paths.count == 1 && outcomes(stage, "failed") == 4)
      stage.stage.clock.advance(AppleGrant.codeLifetime)
      await stage.stage.service.appleGrants.workOff()
      #expect(try await grants(stage).isEmpty)
      #expect(apple.paths.count == 1 && outcomes(stage, "expired") == 1)
    }
  }

  @Test("A code that Apple refuses, or that was somebody else's, is dropped")
  func exchange_refused_isDropped() async throws {
    try await run { stage, apple in
      apple.change { $0.status = 400 }
      _ = try await signIn(stage, code: "1")
      await stage.stage.service.appleGrants.workOff()
      #expect(try await grants(stage).isEmpty)
      apple.change { state in
        state.status = 200
        state.subject = "another"
      }
      _ = try await signIn(stage, code: "2")
      await stage.stage.service.appleGrants.workOff()
      #expect(try await grants(stage).isEmpty)
      #expect(outcomes(stage, "refused") == 2 && outcomes(stage, "kept") == 0)
      #expect(stage.stage.sink.lines.contains { $0.contains("Apple answered 400 invalid_grant") })
    }
  }

  @Test("A token that was made with another code is refused")
  func codeHash_another_isRefused() async throws {
    try await run { stage, apple in
      // The example of OpenID Connect Core 1.0, appendix A.4.
      let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"
      let hash = "LDktKdoQak3Pk0cnXxCltA"
      let refused = await outcome { _ = try await signIn(stage, code: code + "x", hash: hash) }
      #expect(refused == "UNAUTHENTICATED IDENTITY_TOKEN_INVALID")
      let series = #"gatehouse_auth_identity_tokens_total{provider="apple",outcome="codeHash"}"#
      #expect(stage.stage.metric(series) == 1)
      #expect(try await stage.count("apple_grant") == 0)
      _ = try await signIn(stage, code: code, hash: hash)
      // Without a code there is nothing to compare.
      _ = try await signIn(stage, code: "", hash: hash)
      #expect(try await stage.count("apple_grant") == 1)
    }
  }

  @Test(
    "The deletion of the account revokes, whether or not the code was exchanged, and waits for nobody"
  )
  func deletion_grants_areRevoked() async throws {
    try await run { stage, apple in
      for isExchanged in [true, false] {
        apple.change { $0.asked = [] }
        let ada = try await signIn(stage, code: "1")
        if isExchanged { await stage.stage.service.appleGrants.workOff() }
        apple.change { $0.isDown = true }
        let deletions = Auth_V1.DeletionsClient(stage.stage.channel)
        let begun = try await deletions.deleteAccount(.init(), options: stage.stage.with(ada))
        await stage.stage.workOffDeletions()
        let done = try await deletions.getDeletion(.init(deletionId: begun.id))
        #expect(done.state == .done)
        #expect(try await grants(stage) == [isExchanged ? "3 loose" : "1 loose"])
        await stage.stage.service.appleGrants.workOff()
        apple.change { $0.isDown = false }
        stage.stage.clock.advance(2000)
        await stage.stage.service.appleGrants.workOff()
        #expect(apple.paths == ["/auth/token", "/auth/revoke"])
        #expect(apple.asked.last?.fields["token"] == "refresh 1")
        #expect(try await grants(stage).isEmpty)
      }
    }
  }

  @Test("A revocation that Apple refuses is tried for a week")
  func revocation_refused_isTriedForAWeek() async throws {
    try await run { stage, apple in
      let ada = try await signIn(stage, code: "1")
      await stage.stage.service.appleGrants.workOff()
      let deletions = Auth_V1.DeletionsClient(stage.stage.channel)
      _ = try await deletions.deleteAccount(.init(), options: stage.stage.with(ada))
      await stage.stage.service.deletions.workOff()
      apple.change { $0.status = 400 }
      for _ in 0..<3 {
        await stage.stage.service.appleGrants.workOff()
        #expect(try await grants(stage) == ["3 loose"])
        stage.stage.clock.advance(3_600_000)
      }
      stage.stage.clock.advance(AppleGrant.revocationMax)
      await stage.stage.service.appleGrants.workOff()
      #expect(try await grants(stage).isEmpty)
      #expect(outcomes(stage, "expired") == 1 && outcomes(stage, "revoked") == 0)
    }
  }

  @Test("Without Apple's key codes are not kept, and other providers have none")
  func settings_withoutKey_keepNothing() async throws {
    try await IdentityStage.run { stage in
      _ = try await signIn(stage, code: "1")
      #expect(try await stage.count("apple_grant") == 0)
    }
    for settings in [
      #"{"team_id": "T", "key_id": "K"}"#, #"{"team_id": "", "key_id": "K", "key_file": "f"}"#,
      #"{"team_id": "T", "key_id": "K", "key_file": "f", "url": "http://example.org"}"#,
      #"{"team_id": "T", "key_id": "K", "key_file": "f", "url": "https://example.org/"}"#,
    ] {
      #expect(throws: JSONDecodingError.self) {
        try IdentityProvider.test(
          "apple",
          #"{"client_ids": ["client"], "authorization": \#(settings)}"#
        )
      }
    }
    let right = #"{"team_id": "T", "key_id": "K", "key_file": "f"}"#
    #expect(throws: JSONDecodingError.self) {
      try IdentityProvider.test(
        "google",
        #"{"client_ids": ["client"], "authorization": \#(right)}"#
      )
    }
    let apple = try IdentityProvider.test(
      "apple",
      #"{"client_ids": ["client"], "authorization": \#(right)}"#
    )
    #expect(apple.authorization?.address.url == "https://appleid.apple.com")
  }
}
