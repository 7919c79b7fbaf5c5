import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Staying signed in, by REST")
  struct RefreshTests {
    @Test("Who signs up by REST has a token, and repeats a refresh that was lost with the process")
    func session_answerLost_goesOn() async throws {
      try await Installation.run { home in
        let up = try await post(
          home,
          "signup",
          ["email": "ada@example.com", "password": .string(Person.password), "displayName": "Ada"]
        )
        let token = try #require(up.object?["token"]?.string)
        let bearer = [(name: "authorization", value: "Bearer \(token)")]
        #expect(try await home.auth.http.send("GET", "/api/v1/users/me", bearer).status == 200)
        let first = up.object?["tokens"]?.object?["refreshToken"] ?? .null
        let request: JSONValue = ["refreshToken": first, "attempt": "c1r8Qk2vX9mPzL5tYw3hAg"]
        let lost = try await post(home, "refresh", request)
        try await home.auth.kill()
        _ = try await home.auth.start()
        let again = try await post(home, "refresh", request)
        #expect(again.object?["refreshToken"]?.string?.isEmpty == false)
        #expect(again.object?["refreshToken"] == lost.object?["refreshToken"])
        let short: JSONValue = ["refreshToken": first, "attempt": "short"]
        _ = try await post(home, "refresh", short, status: 400)
      }
    }

    /// What `data` has in the answer of a call of `auth.v1.Authentication`.
    private func post(
      _ home: Installation,
      _ name: String,
      _ body: JSONValue,
      status: Int = 200
    ) async throws -> JSONValue {
      let answer = try await home.auth.http.send(
        "POST",
        "/api/v1/auth/\(name)",
        [("content-type", "application/json")],
        Array(body.text.utf8)
      )
      let text = String(decoding: answer.content, as: UTF8.self)
      #expect(answer.status == status || answer.status == 201, "\(text)")
      let limits = JSONLimits(byteCountMax: 1 << 16, depthMax: 10)
      return try JSONReader.read(answer.content, limits: limits).object?["data"] ?? .null
    }
  }
}
