import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting

/// What services are told of tokens, as RFC 7662 says.
@Suite("Token introspection (RFC 7662)")
struct IntrospectionTests {
  private static let path = "/api/v1/auth/introspect"
  private static let form = "application/x-www-form-urlencoded"
  private static let inactive = #"{"active":false}"#

  /// Asks as a service that nothing in the contract names.
  private func ask(
    _ product: Product,
    _ body: String,
    type: String = form,
    by options: CallOptions? = nil
  ) async throws -> HTTPClient.Answer {
    try await product.send(
      to: "auth",
      Self.path,
      body,
      type: type,
      by: options ?? product.options(of: "billing", to: "auth")
    )
  }

  @Test("An access token is active, and its claims are those that it has")
  func token_good_isActive() async throws {
    try await Product.run { product in
      let ada = try await product.signUp("ada")
      let token = try #require(product.purse[ada]?.accessToken)
      let answer = try await ask(product, "token=\(token)&token_type_hint=access_token")
      #expect(answer.status == 200)
      #expect(answer.fields["content-type"] == "application/json")
      #expect(answer.fields["cache-control"] == "no-store")
      let payload = token.split(separator: ".")[1]
      let bytes = try #require(Base64URL.decode(String(payload)))
      let claims = try JSONReader.read(bytes, limits: JSONLimits(byteCountMax: 1 << 16)).object
      #expect(answer["active"] == true)
      #expect(answer["token_type"] == "Bearer")
      #expect(answer["sub"] == .string(ada.id))
      for name in ["iss", "aud", "sub", "exp", "iat", "jti", "sid", "acr", "auth_time"] {
        #expect(answer[name] == claims?[name] && answer[name] != nil, "\(name)")
      }
      #expect(answer.json?.object?.members.count == 11, "\(answer.text)")
      // JSON is understood as well, and parameters that nobody knows are not looked at.
      let body = #"{"token":"\#(token)","extra":{"a":1}}"#
      let json = try await ask(product, body, type: "application/json")
      #expect(json.text == answer.text)
      #expect(try await ask(product, "extra=1&token=\(token)").text == answer.text)
    }
  }

  @Test("What is no good token is not active, and nothing else is said of it")
  func token_bad_isInactive() async throws {
    try await Product.run { product in
      let ada = try await product.signUp("ada")
      let tokens = try #require(product.purse[ada])
      let token = tokens.accessToken
      let proof = try #require(
        product.options(of: "billing", to: "auth").metadata["service-authorization"]
      )
      let forged = token.dropLast(4) + "AAAA"
      let unsigned = token.split(separator: ".").dropLast().joined(separator: ".") + "."
      let others = [
        "x", String(forged), unsigned, tokens.refreshToken, String(proof.dropFirst(7)),
        String(repeating: "a", count: 9000), "%F0%9F%98%80", "a+b",
      ]
      for other in others {
        let answer = try await ask(product, "token=\(other)")
        #expect(answer.status == 200, "\(other.prefix(40))")
        #expect(answer.text == Self.inactive, "\(other.prefix(40))")
        #expect(answer.fields["cache-control"] == "no-store")
      }
      // To the millisecond: nothing is allowed for clocks that differ.
      let end = try #require(tokens.accessTokenExpiresAt?.milliseconds)
      product.clock.advance(end - product.clock.now - 1)
      #expect(try await ask(product, "token=\(token)")["active"] == true)
      product.clock.advance(1)
      #expect(try await ask(product, "token=\(token)").text == Self.inactive)
    }
  }

  @Test("A token is inactive as soon as its session has ended")
  func token_ofEndedSession_isInactive() async throws {
    try await Product.run { product in
      let ada = try await product.signUp("ada")
      let token = try #require(product.purse[ada]?.accessToken)
      #expect(try await ask(product, "token=\(token)")["active"] == true)
      _ = try await product.sessions.revokeAll(.init(), options: try await product.call(ada))
      #expect(try await ask(product, "token=\(token)").text == Self.inactive)
    }
  }

  @Test("Only services are told, and those who prove nothing learn nothing")
  func callers_others_areRefused() async throws {
    try await Product.run { product in
      let ada = try await product.signUp("ada")
      let token = try #require(product.purse[ada]?.accessToken)
      let nobody = try await ask(product, "token=\(token)", by: CallOptions())
      #expect(nobody.status == 401)
      #expect(nobody.fields["www-authenticate"] == "Bearer")
      #expect(nobody["error"] == "invalid_client")
      #expect(nobody["active"] == nil)
      let wrong = product.options(of: "billing", to: "tenancy")
      #expect(try await ask(product, "token=\(token)", by: wrong).status == 401)
      // Not even of their own token.
      let user = try await product.call(ada)
      let own = try await ask(product, "token=\(token)", by: user)
      #expect(own.status == 403)
      #expect(own["error"] == "access_denied")
      // A service that acts for a user speaks for the user.
      var acting = product.options(of: "billing", to: "auth")
      acting.metadata["authorization"] = user.metadata["authorization"]
      #expect(try await ask(product, "token=\(token)", by: acting).status == 403)
    }
  }

  @Test("Requests that are not what the standard says are refused in its words")
  func requests_malformed_areRefused() async throws {
    try await Product.run { product in
      for body in ["", "token=", "token_type_hint=x", "token=a&token=b", "token", "token=%zz"] {
        let answer = try await ask(product, body)
        #expect(answer.status == 400, "\(body)")
        #expect(answer["error"] == "invalid_request", "\(body)")
        #expect(answer.fields["cache-control"] == "no-store")
      }
      let huge = String(repeating: "a", count: 70_000)
      #expect(try await ask(product, "token=\(huge)").status == 400)
      #expect(try await ask(product, "token=a", type: "text/plain").status == 415)
      let proof = product.options(of: "billing", to: "auth")
      let query = "\(Self.path)?token=a"
      let inQuery = try await product.send(
        to: "auth",
        query,
        "token=b",
        type: Self.form,
        by: proof
      )
      #expect(inQuery.status == 400)
      let got = try await product.send("GET", to: "auth", Self.path, "", by: proof)
      #expect(got.status == 405)
      #expect(got.fields["allow"] == "POST")
    }
  }
}
