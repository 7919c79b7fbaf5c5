import Foundation
import GatehouseKit
import Testing

@Suite struct OtherSignInTests {
  struct Apple: AppleSignInProvider {
    func credential(nonce: String) async throws -> AppleCredential {
      AppleCredential(identityToken: "token for \(nonce)", displayName: "Ada")
    }
  }

  struct Passkeys: PasskeyProvider {
    func assertion(options: JSONValue) async throws -> JSONValue {
      .object(["answerTo": options])
    }
  }

  private static func answer(_ stage: Stage) -> HTTPAnswer {
    .success(
      #"{"tokens": \#(Stage.tokens("ada-0", stage.time)), "user": \#(Stage.user("ada"))}"#
    )
  }

  private func body(_ stage: Stage, _ place: String) throws -> JSONValue {
    let data = try #require(stage.transport.requests(place).last?.body)
    return try JSONDecoder().decode(JSONValue.self, from: data)
  }

  @Test("Signing in with Apple sends the token of the nonce, and the name of the first time")
  func apple_signsIn() async throws {
    let stage = Stage()
    stage.transport.on("POST auth/apple/start", .success(#"{"rawNonce": "raw", "nonce": "n"}"#))
    stage.transport.on("POST auth/apple/login", Self.answer(stage))
    try await stage.gatehouse.account.signIn(apple: Apple())
    guard case .object(let body) = try body(stage, "POST auth/apple/login") else {
      Issue.record("no object")
      return
    }
    #expect(body["identityToken"] == .text("token for n"))
    #expect(body["rawNonce"] == .text("raw"))
    #expect(body["profile"] == .object(["displayName": .text("Ada")]))
    #expect(stage.gatehouse.account.state.user?.id == "usr_ada")
  }

  @Test("Signing in with a passkey hands options and response on as they are")
  func passkey_signsIn() async throws {
    let stage = Stage()
    stage.transport.on(
      "POST auth/passkeys/start",
      .success(#"{"ceremonyId": "c1", "options": {"challenge": "x"}}"#)
    )
    stage.transport.on("POST auth/passkeys/login", Self.answer(stage))
    try await stage.gatehouse.account.signIn(passkey: Passkeys())
    guard case .object(let body) = try body(stage, "POST auth/passkeys/login") else {
      Issue.record("no object")
      return
    }
    #expect(body["response"] == .object(["answerTo": .object(["challenge": .text("x")])]))
    #expect(body["ceremonyId"] == .text("c1"))
  }

  @Test("An account with an authenticator app is signed in by its code")
  func secondFactor_completes() async throws {
    let stage = Stage()
    stage.transport.on(
      "POST auth/login",
      .success(#"{"secondFactor": {"token": "sf", "expiresAt": "2027-01-15T08:05:00.5Z"}}"#)
    )
    stage.transport.on("POST auth/login/second-factor", Self.answer(stage))
    let result = try await stage.gatehouse.account.signIn(email: "a@example.com", password: "p")
    guard case .needsCode(let factor) = result else {
      Issue.record("no second factor")
      return
    }
    #expect(stage.gatehouse.account.state == .signedOut(.never))
    try await stage.gatehouse.account.complete(factor, code: "123456")
    #expect(stage.gatehouse.account.state.user?.id == "usr_ada")
  }
}
