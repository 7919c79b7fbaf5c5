import AuthContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("The console's session")
  struct ConsoleTests {
    private static let settings: JSONValue = ["address": "https://console.example"]
    private static let own = [
      (name: "content-type", value: "application/json"), (name: "x-gatehouse-console", value: "1"),
      (name: "sec-fetch-site", value: "same-origin"),
    ]

    /// The answer to a request of the console, with the cookie if there is one.
    private func send(
      _ home: Installation,
      _ method: String,
      _ path: String,
      body: String?,
      cookie: String? = nil,
      fields: [(name: String, value: String)] = Self.own
    ) async throws -> HTTPClient.Answer {
      let cookies = cookie.map { [(name: "cookie", value: "other=1; \($0)")] } ?? []
      return try await home.auth.http.send(
        method,
        "/console/\(path)",
        fields + cookies,
        body.map { Array($0.utf8) }
      )
    }

    /// The cookie that an answer sets, as the browser sends it back.
    private func cookie(_ answer: HTTPClient.Answer) -> String? {
      answer.fields["set-cookie"].map { String($0.prefix { $0 != ";" }) }
    }

    private func token(_ answer: HTTPClient.Answer) throws -> String? {
      let json = try JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 16))
      return json.object?["data"]?.object?["accessToken"]?.string
    }

    @Test("The refresh token goes into a cookie, is exchanged each time, and shows in no answer")
    func session_isKeptInTheCookie() async throws {
      try await Installation.run(auth: ["console": Self.settings]) { home in
        let ada = try await home.signUp("ada")
        let first = ada.tokens.refreshToken
        let body = #"{"refreshToken": "\#(first)"}"#
        let begun = try await send(home, "POST", "session", body: body)
        #expect(begun.status == 200)
        let attributes = begun.fields["set-cookie"] ?? ""
        for part in ["__Host-gatehouse=", "; Path=/", "; Secure", "; HttpOnly", "=Strict"] {
          #expect(attributes.contains(part), "\(attributes)")
        }
        let kept = try #require(cookie(begun))
        #expect(!kept.contains(first))
        let resumed = try await send(home, "POST", "session/refresh", body: "{}", cookie: kept)
        let access = try #require(try token(resumed))
        let next = try #require(cookie(resumed))
        #expect(next != kept)
        let secret = next.drop { $0 != "=" }.dropFirst()
        #expect(!String(decoding: resumed.content, as: UTF8.self).contains(secret))
        let me = try await home.auth.http.send(
          "GET",
          "/api/v1/users/me",
          [("authorization", "Bearer \(access)")]
        )
        #expect(me.status == 200)
        let ended = try await send(home, "DELETE", "session", body: nil, cookie: next)
        #expect(ended.status == 200 && ended.fields["set-cookie"]?.contains("Max-Age=0") == true)
      }
    }

    @Test("A browser without a session gets nothing, and one whose session has ended is refused")
    func session_missingOrEnded() async throws {
      try await Installation.run(auth: ["console": Self.settings]) { home in
        let none = try await send(home, "POST", "session/refresh", body: "{}")
        #expect(none.status == 200 && none.fields["set-cookie"] == nil)
        #expect(try token(none) == nil)
        let wrong = try await send(
          home,
          "POST",
          "session/refresh",
          body: "{}",
          cookie: "__Host-gatehouse=made-up"
        )
        #expect(wrong.status == 401 && wrong.fields["set-cookie"] == nil)
      }
    }

    @Test("Nobody but the console's page is answered")
    func session_ofOthers_isRefused() async throws {
      try await Installation.run(auth: ["console": Self.settings]) { home in
        let mark = Self.own[1]
        let cases: [([(name: String, value: String)], Int)] = [
          ([mark], 403), ([Self.own[2]], 403), ([mark, ("sec-fetch-site", "same-site")], 403),
          ([mark, ("sec-fetch-site", "cross-site"), ("origin", "https://console.example")], 403),
          ([mark, ("origin", "https://other.example")], 403),
          // A browser that does not say which site asks says the origin.
          ([mark, ("origin", "https://console.example")], 200), ([mark, Self.own[2]], 200),
        ]
        for (fields, status) in cases {
          let answer = try await send(
            home,
            "POST",
            "session/refresh",
            body: "{}",
            fields: [Self.own[0]] + fields
          )
          #expect(answer.status == status, "\(fields)")
        }
      }
    }

    @Test("Without the setting there is neither page nor session")
    func off_isNotThere() async throws {
      try await Installation.run { home in
        let page = try await home.auth.http.send("GET", "/console/")
        let session = try await send(home, "POST", "session/refresh", body: "{}")
        #expect(page.status == 404 && session.status == 404)
      }
    }
  }
}
