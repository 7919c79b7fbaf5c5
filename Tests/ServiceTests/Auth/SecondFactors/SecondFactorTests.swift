import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Second factors")
struct SecondFactorTests {
  /// Somebody with an authenticator app.
  private struct Owner: Sendable {
    let stage: AuthStage
    let answer: Auth_V1.SignInResponse
    let secret: [UInt8]
    let recoveryCodes: [String]
    /// A token that says that a second factor was proved.
    let proven: Auth_V1.AccessToken

    var plain: CallOptions { stage.with(answer) }
    var call: CallOptions { Owner.call(proven) }

    static func call(_ token: Auth_V1.AccessToken?) -> CallOptions {
      CallOptions(metadata: ["authorization": "Bearer \(token?.token ?? "")"])
    }

    /// What the app shows, so many steps from now.
    func code(_ offset: Int64 = 0) -> String { SecondFactorTests.code(secret, stage, offset) }

    /// A code that no app of this secret shows about now.
    var wrongCode: String { SecondFactorTests.wrongCode(secret, stage) }

    /// Lets the next code be shown.
    func wait(_ seconds: Int64 = TimeCode.period) { stage.clock.advance(seconds * 1000) }

    func signIn(deviceToken: String = "") async throws -> String {
      let answer = try await stage.authentication.signIn(
        .init(email: "ada@example.org", password: AuthStage.password, deviceToken: deviceToken)
      )
      #expect(answer.tokens == nil && answer.user == nil && answer.deviceToken.isEmpty)
      let needed = try #require(answer.secondFactor)
      #expect(needed.expiresAt?.milliseconds == stage.clock.now + 300_000)
      return needed.token
    }

    func complete(
      _ token: String,
      code: String = "",
      recoveryCode: String = ""
    ) async throws -> Auth_V1.SignInResponse {
      try await stage.authentication.completeSignIn(
        .init(secondFactorToken: token, code: code, recoveryCode: recoveryCode)
      )
    }

    /// What becomes of a second half.
    func completed(_ token: String, code: String = "", recoveryCode: String = "") async -> String {
      await outcome { _ = try await complete(token, code: code, recoveryCode: recoveryCode) }
    }
  }

  private static func code(_ secret: [UInt8], _ stage: AuthStage, _ offset: Int64 = 0) -> String {
    TimeCode(secret: secret).code(step: TimeCode.step(at: stage.clock.now) + offset)
  }

  /// A code that the secret does not make about now.
  private static func wrongCode(_ secret: [UInt8], _ stage: AuthStage) -> String {
    let shown = Set((-2...2).map { code(secret, stage, $0) })
    return (0...5).map { "00000\($0)" }.first { !shown.contains($0) } ?? ""
  }

  private func run(
    on ground: AuthStage.Ground? = nil,
    _ body: (AuthStage, Owner) async throws -> Void
  ) async throws {
    try await AuthStage.run(on: ground) { stage in
      try await body(stage, try await Self.enroll(stage, try await stage.signUp()))
    }
  }

  private static func enroll(
    _ stage: AuthStage,
    _ answer: Auth_V1.SignInResponse
  ) async throws -> Owner {
    let app = try await stage.enroll(answer)
    #expect(app.secret.count == 20)
    return Owner(
      stage: stage,
      answer: answer,
      secret: app.secret,
      recoveryCodes: app.confirmed.recoveryCodes,
      proven: try #require(app.confirmed.token)
    )
  }

  private func read(_ text: String, _ stage: AuthStage) throws -> AccessClaims {
    try AccessTokenVerifier(issuer: "gatehouse", audience: "gatehouse").verify(
      text,
      keys: stage.service.core.ring.keys,
      now: stage.clock.now
    )
  }

  @Test("An app is added with its first code; other sessions end, and this one has proved it")
  func confirm_firstCode_addsTheApp() async throws {
    try await AuthStage.run { stage in
      let answer = try await stage.signUp()
      let other = try await stage.signIn()
      _ = try await stage.takeMails()
      let enrolled = try await stage.secondFactors.enrollTotp(.init(), options: stage.with(answer))
      #expect(
        enrolled.uri
          == "otpauth://totp/Gatehouse:ada%40example.org?secret=\(enrolled.secret)&issuer=Gatehouse"
      )
      // Not a factor before it was confirmed.
      #expect(try await stage.signIn().tokens != nil)
      let secret = try AuthStage.decoded(base32: enrolled.secret)
      let wrong = await outcome {
        _ = try await stage.secondFactors.confirmTotp(
          .init(code: Self.wrongCode(secret, stage)),
          options: stage.with(answer)
        )
      }
      #expect(wrong == "INVALID_ARGUMENT CODE_INVALID")
      let confirmed = try await stage.secondFactors.confirmTotp(
        .init(code: Self.code(secret, stage)),
        options: stage.with(answer)
      )
      #expect(confirmed.revokedSessions == 2)
      #expect(Set(confirmed.recoveryCodes).count == 10)
      #expect(confirmed.token?.acr == "mfa")
      let ended = await outcome {
        _ = try await stage.users.getMe(.init(), options: stage.with(other))
      }
      #expect(ended == "UNAUTHENTICATED CREDENTIALS_INVALID")
      let state = try await stage.secondFactors.get(.init(), options: stage.with(answer))
      #expect(state.hasTotp && state.recoveryCodesLeft == 10)
      #expect(state.totpAddedAt?.milliseconds == stage.clock.now)
      // Those that the session is refreshed to have proved it too.
      let refreshed = try await stage.authentication.refresh(
        .init(refreshToken: try #require(answer.tokens?.refreshToken))
      )
      let claims = try read(refreshed.accessToken, stage)
      #expect(claims.acr == "mfa")
      #expect(claims.methods == ["pwd", "otp", "mfa"])
      let subjects = try await stage.takeMails().compactMap { $0.headers["Subject"] }
      #expect(subjects.contains("An authenticator app was added"))
      // There is one already.
      let again = await outcome {
        _ = try await stage.secondFactors.enrollTotp(.init(), options: stage.with(refreshed))
      }
      #expect(again == "ALREADY_EXISTS TOTP_EXISTS")
    }
  }

  @Test("Whoever confirms an app twice is told that it is done, and the recovery codes stay")
  func confirm_twice_saysThatItIsDone() async throws {
    try await AuthStage.run { stage in
      let answer = try await stage.signUp()
      let enrolled = try await stage.secondFactors.enrollTotp(.init(), options: stage.with(answer))
      let code = Self.code(try AuthStage.decoded(base32: enrolled.secret), stage)
      _ = try await stage.secondFactors.confirmTotp(.init(code: code), options: stage.with(answer))
      let before = try await stage.secondFactors.get(.init(), options: stage.with(answer))
      let twice = await #expect(throws: RPCError.self) {
        try await stage.secondFactors.confirmTotp(.init(code: code), options: stage.with(answer))
      }
      #expect(twice?.code == .alreadyExists && twice?.reason == "TOTP_EXISTS")
      #expect(twice?.message.contains("is confirmed already") == true)
      let after = try await stage.secondFactors.get(.init(), options: stage.with(answer))
      #expect(after == before && after.recoveryCodesLeft > 0)
    }
  }

  @Test("An app that is not confirmed within ten minutes, or was never begun, is not added")
  func confirm_late_isRefused() async throws {
    try await AuthStage.run { stage in
      let first = try await stage.signUp()
      func confirmed(_ secret: [UInt8], _ answer: Auth_V1.SignInResponse) async -> String {
        await outcome {
          _ = try await stage.secondFactors.confirmTotp(
            .init(code: Self.code(secret, stage)),
            options: stage.with(answer)
          )
        }
      }
      let secret = [UInt8](repeating: 1, count: 20)
      #expect(await confirmed(secret, first) == "FAILED_PRECONDITION TOTP_NOT_ENROLLED")
      let enrolled = try await stage.secondFactors.enrollTotp(.init(), options: stage.with(first))
      let begun = try AuthStage.decoded(base32: enrolled.secret)
      stage.clock.advance(10 * 60_000)
      let later = try await stage.signIn()
      #expect(await confirmed(begun, later) == "FAILED_PRECONDITION TOTP_NOT_ENROLLED")
      // Begun anew, the first secret is worth nothing.
      let renewed = try await stage.secondFactors.enrollTotp(.init(), options: stage.with(later))
      #expect(await confirmed(begun, later) == "INVALID_ARGUMENT CODE_INVALID")
      #expect(await confirmed(try AuthStage.decoded(base32: renewed.secret), later) == "OK")
    }
  }

  @Test("Signing in takes the password, then a code that was not used before")
  func signIn_withApp_takesACode() async throws {
    try await run { stage, ada in
      let token = try await ada.signIn()
      // The code that added the app is used up.
      #expect(await ada.completed(token, code: ada.code()) == "INVALID_ARGUMENT CODE_INVALID")
      ada.wait()
      // As apps show it, with blanks; what is six digits without them is a code.
      let code = ada.code()
      for wrong in ["\(code) 1", "      "] {
        #expect(await ada.completed(token, code: wrong) == "INVALID_ARGUMENT CODE_INVALID")
      }
      for wrong in ["\(code.prefix(3))-\(code.suffix(3))", "12 34", "\(code)\t"] {
        #expect(await ada.completed(token, code: wrong) == "INVALID_ARGUMENT FIELD_VIOLATIONS")
      }
      let answer = try await ada.complete(token, code: " \(code.prefix(3)) \(code.suffix(3)) ")
      let text = try #require(answer.tokens?.accessToken)
      let claims = try read(text, stage)
      #expect(claims.acr == "mfa")
      #expect(claims.methods == ["pwd", "otp", "mfa"])
      #expect(answer.user?.email == "ada@example.org")
      #expect(!answer.deviceToken.isEmpty)
      // The token is used up, and so is the code.
      ada.wait()
      let used = "INVALID_ARGUMENT SECOND_FACTOR_TOKEN_INVALID"
      #expect(await ada.completed(token, code: ada.code()) == used)
      let next = try await ada.signIn()
      #expect(await ada.completed(next, code: ada.code(-1)) == "INVALID_ARGUMENT CODE_INVALID")
      #expect(await ada.completed(next, code: ada.code()) == "OK")
      #expect(stage.metric(#"gatehouse_auth_sign_ins_total{outcome="second_factor"}"#) == 2)
    }
  }

  @Test("A second half that is repeated with its key gets the same session, and uses one code up")
  func completeSignIn_repeated_answersTheSame() async throws {
    try await run { stage, ada in
      let token = try await ada.signIn()
      func complete(
        _ request: Auth_V1.CompleteSignInRequest
      ) async throws
        -> Auth_V1.SignInResponse
      {
        try await stage.authentication.completeSignIn(request)
      }
      func completed(_ request: Auth_V1.CompleteSignInRequest) async -> String {
        await outcome { _ = try await complete(request) }
      }
      let request = Auth_V1.CompleteSignInRequest(
        secondFactorToken: token,
        recoveryCode: ada.recoveryCodes[0],
        idempotencyKey: "k"
      )
      _ = try await stage.takeMails()
      let answers = try await withThrowingTaskGroup(of: Auth_V1.SignInResponse.self) { group in
        for _ in 0..<4 { group.addTask { try await complete(request) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let first = try #require(answers.first?.tokens)
      for answer in answers + [try await complete(request)] {
        #expect(answer.tokens?.sessionId == first.sessionId)
        #expect(answer.tokens?.refreshToken == first.refreshToken)
      }
      let state = try await stage.secondFactors.get(.init(), options: ada.plain)
      #expect(state.recoveryCodesLeft == 9)
      let subjects = try await stage.takeMails().compactMap { $0.headers["Subject"] }
      #expect(subjects.filter { $0 == "A recovery code was used" }.count == 1)
      // Nothing else opens with a token that was used.
      let used = "INVALID_ARGUMENT SECOND_FACTOR_TOKEN_INVALID"
      var other = request
      other.idempotencyKey = ""
      #expect(await completed(other) == used)
      other.idempotencyKey = "another"
      #expect(await completed(other) == used)
      other.recoveryCode = ada.recoveryCodes[1]
      other.idempotencyKey = "one more"
      #expect(await completed(other) == used)
      #expect(try await stage.secondFactors.get(.init(), options: ada.plain) == state)
      // Its refresh token may not be in two hands.
      _ = try await stage.authentication.refresh(.init(refreshToken: first.refreshToken))
      #expect(await completed(request) == "ALREADY_EXISTS SESSION_IN_USE")
      ada.wait(300)
      #expect(await completed(request) == used)
    }
  }

  @Test("A code that two use at once signs one of them in")
  func signIn_codeAtOnce_worksOnce() async throws {
    try await run { stage, ada in
      ada.wait()
      let tokens = [try await ada.signIn(), try await ada.signIn(), try await ada.signIn()]
      let code = ada.code()
      let outcomes = await withTaskGroup(of: String.self) { group in
        for token in tokens { group.addTask { await ada.completed(token, code: code) } }
        return await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(outcomes.filter { $0 == "OK" }.count == 1)
      #expect(outcomes.filter { $0 == "INVALID_ARGUMENT CODE_INVALID" }.count == 2)
    }
  }

  @Test(
    "The second half ends after five minutes, after five wrong codes, and when all sessions end"
  )
  func signIn_secondHalf_isBounded() async throws {
    try await run { stage, ada in
      let invalid = "INVALID_ARGUMENT SECOND_FACTOR_TOKEN_INVALID"
      let late = try await ada.signIn()
      ada.wait(300)
      #expect(await ada.completed(late, code: ada.code()) == invalid)
      for text in ["", "x", String(repeating: "A", count: 43), late + "A"] {
        let refused = await ada.completed(text, code: ada.code())
        #expect(refused == (text.isEmpty ? "INVALID_ARGUMENT FIELD_VIOLATIONS" : invalid))
      }
      let guessed = try await ada.signIn()
      for _ in 0..<5 {
        #expect(await ada.completed(guessed, code: ada.wrongCode).hasSuffix("CODE_INVALID"))
      }
      #expect(await ada.completed(guessed, code: ada.code()) == invalid)
      // The count is the account's, whichever sign-in they belong to.
      let next = try await ada.signIn()
      #expect(
        await ada.completed(next, code: ada.code()) == "RESOURCE_EXHAUSTED TOO_MANY_CODES"
      )
      ada.wait()
      #expect(await ada.completed(next, code: ada.code()) == "OK")
      ada.wait()
      let overtaken = try await ada.signIn()
      _ = try await stage.sessions.revokeOthers(.init(), options: ada.plain)
      #expect(
        await ada.completed(overtaken, code: ada.code()) == "UNAUTHENTICATED SESSION_ENDED"
      )
    }
  }

  @Test("Somebody who knows only the password cannot make a known device wait")
  func signIn_knownDevice_hasItsOwnAttempts() async throws {
    try await run { stage, ada in
      ada.wait()
      let first = try await ada.complete(try await ada.signIn(), code: ada.code())
      let stranger = try await ada.signIn()
      for _ in 0..<5 {
        #expect(await ada.completed(stranger, code: ada.wrongCode).hasSuffix("CODE_INVALID"))
      }
      let next = try await ada.signIn()
      // The code of the next step, which is accepted by now.
      let code = ada.code(1)
      #expect(await ada.completed(next, code: code) == "RESOURCE_EXHAUSTED TOO_MANY_CODES")
      let own = try await ada.signIn(deviceToken: first.deviceToken)
      #expect(await ada.completed(own, code: code) == "OK")
    }
  }

  @Test("Each recovery code works once, the owner is told, and warned when three are left")
  func recoveryCode_each_worksOnce() async throws {
    try await run { stage, ada in
      _ = try await stage.takeMails()
      for (index, code) in ada.recoveryCodes.prefix(7).enumerated() {
        let typed = index == 0 ? code.uppercased().replacing("-", with: " ") : code
        let answer = try await ada.complete(try await ada.signIn(), recoveryCode: typed)
        #expect(try read(try #require(answer.tokens?.accessToken), stage).acr == "mfa")
        let again = await ada.completed(try await ada.signIn(), recoveryCode: code)
        #expect(again == "INVALID_ARGUMENT CODE_INVALID")
        let left = 9 - index
        let subject = left > 3 ? "A recovery code was used" : "Few recovery codes are left"
        let mails = try await stage.takeMails().filter { $0.headers["Subject"] == subject }
        #expect(mails.count == 1)
        #expect(mails.first?.text.contains("\(left)") == true)
      }
      for code in ["", "00000-00000", "not one"] {
        let refused = await ada.completed(try await ada.signIn(), recoveryCode: code)
        let expected = code.isEmpty ? "ONE_FACTOR_NEEDED" : "CODE_INVALID"
        #expect(refused == "INVALID_ARGUMENT \(expected)")
      }
    }
  }

  @Test("New recovery codes void the old ones")
  func recoveryCodes_regenerated_voidTheOld() async throws {
    try await run { stage, ada in
      let renewed = try await stage.secondFactors.regenerateRecoveryCodes(
        .init(),
        options: ada.call
      )
      #expect(Set(renewed.recoveryCodes + ada.recoveryCodes).count == 20)
      let old = await ada.completed(try await ada.signIn(), recoveryCode: ada.recoveryCodes[0])
      #expect(old == "INVALID_ARGUMENT CODE_INVALID")
      let new = await ada.completed(try await ada.signIn(), recoveryCode: renewed.recoveryCodes[0])
      #expect(new == "OK")
    }
  }

  @Test("Within a session a code is a step-up: fresh, and of the class mfa")
  func verify_inSession_isAStepUp() async throws {
    try await run { stage, ada in
      ada.wait(301)
      func remove(_ options: CallOptions) async -> String {
        await outcome { _ = try await stage.secondFactors.removeTotp(.init(), options: options) }
      }
      #expect(await remove(ada.plain) == "UNAUTHENTICATED STEP_UP_REQUIRED")
      #expect(await remove(ada.call) == "UNAUTHENTICATED STEP_UP_REQUIRED")
      func verify(_ code: String) async -> String {
        await outcome {
          _ = try await stage.secondFactors.verify(.init(code: code), options: ada.plain)
        }
      }
      #expect(await verify(ada.wrongCode) == "INVALID_ARGUMENT CODE_INVALID")
      let both = await outcome {
        _ = try await stage.secondFactors.verify(
          .init(code: ada.code(), recoveryCode: ada.recoveryCodes[0]),
          options: ada.plain
        )
      }
      #expect(both == "INVALID_ARGUMENT ONE_FACTOR_NEEDED")
      let proven = try await stage.secondFactors.verify(
        .init(code: ada.code()),
        options: ada.plain
      )
      #expect(proven.token?.acr == "mfa")
      #expect(proven.recoveryCodesLeft == 10)
      #expect(await verify(ada.code()) == "INVALID_ARGUMENT CODE_INVALID")
      let sessionID = ada.answer.tokens?.sessionId ?? ""
      let raised = "session.step_up \(sessionID)"
      #expect(try await stage.audited("session.step_up") == [raised, raised])
      #expect(await remove(Owner.call(proven.token)) == "OK")
      // Removed, it is asked for no more, and its recovery codes are void.
      #expect(try await stage.signIn().tokens != nil)
      let state = try await stage.secondFactors.get(.init(), options: ada.plain)
      #expect(!state.hasTotp && state.recoveryCodesLeft == 0)
      #expect(await remove(Owner.call(proven.token)) == "OK")
      let gone = await verify(ada.code())
      #expect(gone == "FAILED_PRECONDITION TOTP_NOT_ENROLLED")
    }
  }

  @Test("A wrong password is answered alike with and without an app")
  func signIn_wrongPassword_tellsNothing() async throws {
    try await run { stage, _ in
      let wrong = await outcome { _ = try await stage.signIn(password: "wrong password") }
      #expect(wrong == "UNAUTHENTICATED INVALID_CREDENTIALS")
    }
  }

  @Test("A reset keeps the app, unless the address was never verified: then it may be a squatter's")
  func reset_app_isKeptIfTheAddressWasProven() async throws {
    for isVerified in [true, false] {
      try await run { stage, ada in
        if isVerified {
          let token = try await stage.takeToken("verify-email", to: "ada@example.org")
          _ = try await stage.accounts.verifyEmail(.init(token: token), options: ada.plain)
        }
        _ = try await stage.takeMails()
        _ = try await stage.accounts.requestPasswordReset(.init(email: "ada@example.org"))
        let token = try await stage.takeToken("reset-password", to: "ada@example.org")
        _ = try await stage.accounts.resetPassword(
          .init(token: token, newPassword: "another long pass phrase")
        )
        let answer = try await stage.signIn(password: "another long pass phrase")
        #expect((answer.secondFactor != nil) == isVerified)
        #expect((answer.tokens == nil) == isVerified)
      }
    }
  }

  @Test("Neither secrets nor codes nor tokens end in a log line or in a file of the store")
  func secrets_allPaths_areHidden() async throws {
    let ground = try AuthStage.Ground()
    let (canaries, secret) = try await AuthStage.run(on: ground) { stage in
      let ada = try await Self.enroll(stage, try await stage.signUp())
      let token = try await ada.signIn()
      #expect(await ada.completed(token, code: ada.wrongCode).hasSuffix("CODE_INVALID"))
      let answer = try await ada.complete(token, recoveryCode: ada.recoveryCodes[0])
      let typed = ada.recoveryCodes.map { $0.replacing("-", with: "") }
      let accessToken = try #require(answer.tokens?.accessToken)
      let others = [Base32.encode(ada.secret), token, ada.proven.token, accessToken]
      let canaries = ada.recoveryCodes + typed + others
      #expect(!stage.sink.lines.isEmpty)
      for line in stage.sink.lines {
        for canary in canaries { #expect(!line.contains(canary), "a line has \(canary)") }
      }
      return (canaries, ada.secret)
    }
    // As somebody who stole them reads them; the log was moved into the store at the end.
    for name in ["auth.db", "auth.db-wal"] {
      guard let bytes = try? FileBytes.read("\(ground.folder.path)/\(name)", byteCountMax: 1 << 26)
      else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(name != "auth.db" || text.contains("ada@example.org"), "what is stored is found so")
      for canary in canaries { #expect(!text.contains(canary), "\(name) has \(canary)") }
      #expect(bytes.firstRange(of: secret) == nil)
    }
  }

  @Test(
    "The store has neither secrets nor codes in the clear, and a secret opens for its user alone"
  )
  func store_secrets_areSealed() async throws {
    try await run { stage, ada in
      let core = stage.service.core
      let (userID, app, digests) = try await core.database.read { tx in
        let userID = try tx.first("SELECT user_id FROM totp") { $0.text(0) } ?? ""
        let digests = try tx.query("SELECT digest FROM recovery_code") { $0.blob(0) }
        return (userID, try TotpTable.find(userID, in: tx), digests)
      }
      let stored = try #require(app)
      #expect(!String(decoding: stored.sealed, as: UTF8.self).contains("\(ada.secret)"))
      #expect(try core.timeCode(stored, of: userID) == TimeCode(secret: ada.secret))
      #expect(throws: SealingKey.Failure.self) { try core.timeCode(stored, of: "usr_other") }
      #expect(digests.count == 10)
      for code in ada.recoveryCodes {
        let bytes = Array((RecoveryCode(typed: code)?.text ?? "").utf8)
        #expect(!digests.contains(bytes) && !digests.contains(Digests.sha256(bytes)))
      }
    }
  }
}
