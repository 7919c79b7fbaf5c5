import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import CommandLineClient

@Suite("The session of the command line")
struct SessionCommandTests {
  private static let password = ["GATEHOUSE_PASSWORD": "right password"]

  private func login(_ stage: CommandStage, _ options: String...) async -> CommandStage.Outcome {
    await stage.gatehouse(["login", "ada@example.com"] + options, environment: Self.password)
  }

  @Test("The token for scripts is good for more than a minute, and alone in its line")
  func token_nearItsEnd_isRenewed() async throws {
    for (lifetime, token) in [(60_000 as Int64, "access-2"), (60_001, "access-1")] {
      let services = ScriptedServices(tokenLifetime: lifetime)
      try await CommandStage.run(services.definitions) { stage in
        _ = await login(stage)
        let outcome = await stage.gatehouse("token")
        #expect(outcome.code == 0)
        #expect(outcome.output == "\(token)\n")
        #expect(await stage.gatehouse("token", "--anonymous").code == 3)
      }
    }
  }

  @Test("A refresh whose answer was lost is repeated by the next command, with the same attempt")
  func refresh_lost_isRepeated() async throws {
    let services = ScriptedServices(tokenLifetime: 1000, lostRefreshCount: 1)
    try await CommandStage.run(services.definitions) { stage in
      let path = "\(stage.folder)/.gatehouse-session.json"
      _ = await login(stage)
      #expect(await stage.gatehouse("token").code != 0)
      let kept = try String(contentsOfFile: path, encoding: .utf8)
      #expect(kept.contains("\"pending_attempt\": \"\(services.attempts[0])\""))
      #expect(await stage.gatehouse("token").output == "access-2\n")
      #expect(services.attempts.count == 2)
      #expect(Set(services.attempts).count == 1)
      #expect(services.attempts[0].utf8.count == 22)
      let after = try String(contentsOfFile: path, encoding: .utf8)
      #expect(!after.contains("pending_attempt"))
    }
  }

  @Test("A repeated login ends the session that it replaces, with that session's token")
  func login_again_signsOutBefore() async throws {
    let services = ScriptedServices()
    try await CommandStage.run(services.definitions) { stage in
      _ = await login(stage)
      let again = await login(stage)
      #expect(again.errors == "")
      #expect(
        services.calls == [
          "SignIn ada@example.com, no token", "SignIn ada@example.com, no token",
          "SignOut , Bearer access-1",
        ]
      )
    }
  }

  @Test("The session of another installation stays open, and that is said")
  func login_elsewhere_saysSo() async throws {
    let services = ScriptedServices()
    try await CommandStage.run(services.definitions) { stage in
      _ = await login(stage)
      let other = stage.target.replacing("127.0.0.1", with: "localhost")
      let outcome = await login(stage, "--target", "auth=\(other)")
      #expect(outcome.code == 0)
      #expect(outcome.errors.contains("ada@example.com at \(stage.target) stays open"))
      #expect(services.calls.allSatisfy { $0.hasPrefix("SignIn") })
    }
  }

  @Test("A file that keeps no session is never written over, nor is its removal advised")
  func login_intoForeignFile_isRefused() async throws {
    let services = ScriptedServices()
    try await CommandStage.run(services.definitions) { stage in
      let path = "\(stage.folder)/id_rsa"
      try "a private key".write(toFile: path, atomically: false, encoding: .utf8)
      let outcome = await login(stage, "--session", path)
      #expect(outcome.code == 1)
      #expect(outcome.errors.contains("\(path) is not a session file"))
      #expect(!outcome.errors.contains("remove"))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "a private key")
      #expect(services.calls == [])
    }
  }

  @Test("A session that cannot be kept is ended, and the reason is said")
  func login_withoutPlaceForSession_endsIt() async throws {
    let services = ScriptedServices()
    try await CommandStage.run(services.definitions) { stage in
      let path = "\(stage.folder)/none/session.json"
      let outcome = await login(stage, "--session", path)
      #expect(outcome.code == 1)
      #expect(outcome.output == "")
      #expect(
        outcome.errors.hasSuffix("so it was ended: \(path): No such file or directory\n"),
        "\(outcome.errors)"
      )
      #expect(services.calls.last == "SignOut , Bearer access-1")
    }
  }

  @Test(
    "A failed call says what to do about its very reason",
    arguments: [
      (.unauthenticated, "INVALID_CREDENTIALS", "wrong e-mail address or password"),
      (.unauthenticated, "CREDENTIALS_INVALID", "the session of ada@b has ended; sign in again"),
      (.unauthenticated, "REFRESH_TOKEN_INVALID", "gatehouse login ada@b"),
      (.unauthenticated, "STEP_UP_REQUIRED", "run gatehouse login ada@b again"),
      (.permissionDenied, "SUBJECT_SUSPENDED", "ada@b is suspended; an operator can resume it"),
      (.failedPrecondition, "LAST_OWNER", "make another user owner first, without an end date"),
      (.failedPrecondition, "OPERATION_NOT_SUPPORTED", "no role changes that"),
      (.permissionDenied, "ROLE_LACKS_ACTION", "your roles do not allow this"),
      (
        .permissionDenied, "DENIED_BY_RULE",
        "a rule of the policy forbids it whatever your roles are"
      ),
      (.permissionDenied, "EXPIRED", "has not begun, or has ended"),
      (.permissionDenied, "ROUTE_UNKNOWN", "the reason says why"),
      (.unauthenticated, "PASSKEY_REFUSED", "begin again"),
      (.unauthenticated, "ACCOUNT_PROOF_REQUIRED", "gatehouse disown-email CODE"),
      (.resourceExhausted, "REQUEST_TOO_LARGE", "send less at once"),
      (.unavailable, "NO_SIGNING_KEY", "AuthService has no key to sign tokens with"),
      (.unavailable, "KEYS_UNAVAILABLE", "you are still signed in"),
      (.unavailable, "STORE_UNAVAILABLE", "such as a full disk"),
      (.unavailable, "TENANCY_UNAVAILABLE", "wait a little and try again"),
    ] as [(StatusCode, String, String)]
  )
  func advice_ofReason_isItsOwn(_ code: StatusCode, _ reason: String, _ advice: String) {
    let error = RPCError(code, reason: reason, domain: "gatehouse.auth", message: "refused")
    let failure = CallFailure(error: error, service: "auth", target: "tcp://a:1")
    let text = FailureText.text(
      failure,
      email: "ada@b",
      command: "call",
      style: TextStyle(isOn: false)
    )
    #expect(text.contains(advice), "\(text)")
  }

  @Test(
    "A step-up is advised that helps: another sign-in with a password proves no second factor",
    arguments: [
      ("mfa", "gatehouse totp add"), ("pin", "gatehouse pin token ACTION"), ("phr", "a passkey"),
      ("fresh", "run gatehouse login ada@b again"), ("pin,mfa", "; and a second factor"),
    ]
  )
  func advice_ofStepUp_isOfItsKind(_ stepUp: String, _ advice: String) {
    let error = RPCError(
      .unauthenticated,
      reason: "STEP_UP_REQUIRED",
      domain: "gatehouse.tenancy",
      message: "",
      metadata: ["step_up": stepUp]
    )
    let failure = CallFailure(error: error, service: "tenancy", target: "tcp://a:1")
    let text = FailureAdvice.text(failure, email: "ada@b", command: "call") ?? ""
    #expect(text.hasPrefix("this needs ") && text.contains(advice), "\(text)")
    #expect(stepUp != "phr" || !text.contains("gatehouse login"))
  }

  @Test(
    "Only whoever chose the method is told where to read about it, and nobody gets advice of no use",
    arguments: [
      (.invalidArgument, "MAIL_TOKEN_INVALID", "verify-email", nil),
      (.invalidArgument, "EMAIL_INVALID", "change-email", nil),
      (
        .invalidArgument, "EMAIL_INVALID", "call",
        "gatehouse describe METHOD shows what the request may contain"
      ),
      (.permissionDenied, "CALLER_NOT_ALLOWED", "users", nil),
      (
        .permissionDenied, "CALLER_NOT_ALLOWED", "call",
        "gatehouse describe METHOD says who may call it"
      ),
      (
        .permissionDenied, "CALLER_NOT_ALLOWED", "watch",
        "gatehouse watch lists what people may watch"
      ),
      (.failedPrecondition, "MUST_HAND_OVER", "delete-account", nil),
    ] as [(StatusCode, String, String, String?)]
  )
  func advice_ofCommand_helps(
    _ code: StatusCode,
    _ reason: String,
    _ command: String,
    _ advice: String?
  ) {
    let error = RPCError(code, reason: reason, domain: "gatehouse.auth", message: "refused")
    let failure = CallFailure(error: error, service: "auth", target: "tcp://a:1")
    #expect(FailureAdvice.text(failure, email: "ada@b", command: command) == advice)
  }

  @Test(
    "What cannot be asked for is named, with the variable that gives it",
    arguments: [
      (Secret.password, "the password; set GATEHOUSE_PASSWORD instead"),
      (.pin, "the PIN; set GATEHOUSE_PIN instead"), (.code, "the code; set GATEHOUSE_CODE instead"),
    ]
  )
  func secret_withoutTerminal_isNamed(_ secret: Secret, _ problem: String) {
    #expect("\(secret.withoutTerminal)" == "no terminal to ask for \(problem)")
  }

  @Test("Without a session, and without an answer, the advice is another one")
  func advice_withoutSession_isToSignIn() {
    func advice(_ error: RPCError) -> String? {
      FailureAdvice.text(
        .init(error: error, service: "auth", target: "tcp://a:1"),
        email: nil,
        command: nil
      )
    }
    let refused = RPCError(
      .unauthenticated,
      reason: "CREDENTIALS_INVALID",
      domain: "gatehouse.auth",
      message: ""
    )
    #expect(advice(refused) == "sign in first: gatehouse login EMAIL")
    let away = advice(RPCError(.unavailable, "nobody listens"))
    #expect(away == "is the auth service running at tcp://a:1? change it with --target")
  }

  @Test("Exit codes tell what may work later from what will not")
  func exitCode_ofFailure_followsItsCode() {
    func code(_ code: StatusCode, retryAfter: Duration? = nil) -> ExitCode {
      ExitCode(
        RPCError(code, reason: "R", domain: "d", message: "", retryAfter: retryAfter)
      )
    }
    #expect(code(.unauthenticated) == .signIn)
    #expect(code(.unavailable) == .temporary)
    #expect(code(.resourceExhausted, retryAfter: .seconds(1)) == .temporary)
    // Too large a request is as large the next time.
    #expect(code(.resourceExhausted) == .failure)
    // It may have taken effect.
    #expect(code(.deadlineExceeded) == .failure)
    #expect(code(.permissionDenied) == .failure)
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
  }
}
