internal import RPCKit
internal import ServiceKit

/// Apple's token and revocation endpoints (Sign in with Apple REST API).
struct AppleTokens: Sendable {
  /// Sends a request; of its own type so that tests can play Apple.
  typealias Send = @Sendable (HTTPFetch) async throws -> HTTPFetch.Answer

  /// The result of exchanging an authorization code.
  struct Exchanged: Hashable, Sendable {
    let refreshToken: String
    /// Its subject.
    let subject: String
  }

  /// Apple's answer, if it is not the expected one.
  struct Refusal: Error, Hashable, CustomStringConvertible {
    let status: Int
    /// As RFC 6749, section 5.2, names it; empty if Apple does not say.
    var error = ""
    /// Whether another attempt may end otherwise.
    var isTemporary: Bool { status == 429 || status >= 500 }

    var description: String { "Apple answered \(status)\(error.isEmpty ? "" : " \(error)")" }
  }

  /// How long a client secret is good, in seconds; Apple takes up to six months.
  private static let secretLifetime: Int64 = 300
  /// Apple's own name, which client secrets are for whatever the endpoints' address is.
  private static let audience = "https://appleid.apple.com"

  private let authorization: AppleAuthorization
  private let key: SigningKey
  private let clock: any WallClock
  private let send: Send

  init(
    _ authorization: AppleAuthorization,
    key: SigningKey,
    clock: any WallClock,
    send: @escaping Send = { try await $0.run() }
  ) {
    self.authorization = authorization
    self.key = key
    self.clock = clock
    self.send = send
  }

  /// Exchanges an authorization code, which works once and for five minutes.
  ///
  /// Throws `Refusal`, `HTTPFetch.Failure` when there is no answer, and `CancellationError`.
  func exchange(_ code: String, for clientID: String) async throws -> Exchanged {
    let answer = try await post(
      "/auth/token",
      [("grant_type", "authorization_code"), ("code", code)],
      clientID
    )
    // From Apple itself over TLS, so the signature need not be checked (OpenID Connect Core, 3.1.3.7).
    guard let object = Self.object(answer.body),
      let refreshToken = object["refresh_token"]?.string,
      (1...4096).contains(refreshToken.utf8.count),
      let text = object["id_token"]?.string,
      let token = try? JSONWebToken(parsing: text, .foreign(algorithms: ["RS256"])),
      let subject = token.claims["sub"]?.string, IdentityClaims.isSubject(subject)
    else { throw Refusal(status: answer.status, error: "without a refresh token") }
    return Exchanged(refreshToken: refreshToken, subject: subject)
  }

  /// Revokes a refresh token, and with it what the user allowed.
  ///
  /// Apple answers alike when there is none.
  ///
  /// Throws as `exchange` does.
  func revoke(_ refreshToken: String, of clientID: String) async throws {
    _ = try await post(
      "/auth/revoke",
      [("token", refreshToken), ("token_type_hint", "refresh_token")],
      clientID
    )
  }

  private func post(
    _ path: String,
    _ fields: [(name: String, value: String)],
    _ clientID: String
  ) async throws -> HTTPFetch.Answer {
    var fetch = HTTPFetch(url: authorization.address.url + path)
    fetch.authorities = authorization.address.authorityFile
    if authorization.address.allowsPrivateAddresses { fetch.addresses = .any }
    let own = [("client_id", clientID), ("client_secret", clientSecret(for: clientID))]
    fetch.content = Array(Self.form(own + fields).utf8)
    let answer = try await send(fetch)
    guard answer.status == 200 else {
      let error = Self.object(answer.body)?["error"]?.string ?? ""
      let isName = error.utf8.count <= 40 && error.allSatisfy { $0.isLowercase || $0 == "_" }
      throw Refusal(status: answer.status, error: isName ? error : "")
    }
    return answer
  }

  /// The proof of identity for Apple: a token of a few minutes, made for each request.
  func clientSecret(for clientID: String) -> String {
    let now = clock.now / 1000
    let header: JSONObject = [
      "alg": .string(VerificationKey.algorithm), "kid": .string(authorization.keyID),
    ]
    let claims: JSONObject = [
      "iss": .string(authorization.teamID), "iat": .number(JSONNumber(now)),
      "exp": .number(JSONNumber(now.addingSaturated(Self.secretLifetime))),
      "aud": .string(Self.audience), "sub": .string(clientID),
    ]
    let signed = [header, claims].map { Base64URL.encode(JSONValue.object($0).bytes) }
      .joined(separator: ".")
    return signed + "." + Base64URL.encode(key.sign(Array(signed.utf8)))
  }

  /// Fields as `application/x-www-form-urlencoded` has them; all but unreserved characters are escaped.
  static func form(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\($0.name)=\(escaped($0.value))" }.joined(separator: "&")
  }

  private static func escaped(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var escaped = ""
    for byte in text.utf8 {
      let letter = Character(Unicode.Scalar(byte))
      if letter.isASCII, letter.isLetter || letter.isNumber || "-._~".contains(letter) {
        escaped.append(letter)
      } else {
        escaped += ["%", digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return escaped
  }

  private static func object(_ bytes: [UInt8]) -> JSONObject? {
    let limits = JSONLimits(byteCountMax: 64 << 10, depthMax: 8)
    // Errors of Apple's may have any body.
    return (try? JSONReader.read(bytes, limits: limits))?.object
  }
}
