import RPCKit
import RPCKitTesting
import ServiceKit

@testable import AuthService

/// An identity provider that the tests play: it signs what they want, and gives out its keys.
final class TestProvider: KeySetOrigin {
  /// How its keys are given out.
  struct State {
    var readCount = 0
    var isDown = false
    var json: JSONValue
    var lifetime: Duration?
    /// Questions that wait to be answered, while `isHeld`.
    var held: [CheckedContinuation<Void, Never>] = []
    var isHeld = false
  }

  struct Down: Error {}

  /// What its tokens are signed with.
  enum Key {
    case rsa(RSATestKey)
    case ellipticCurve(SigningKey)
  }

  static let keyID = "key-1"

  let name: String
  let issuer: String
  let clientID: String
  let clock: ManualClock
  let pace = KeySetDocument(address: KeySetAddress(url: "https://example.org/keys")).pace
  private let state: Lock<State>

  init(_ name: String, issuer: String, clientID: String = "client", clock: ManualClock) {
    (self.name, self.issuer, self.clientID, self.clock) = (name, issuer, clientID, clock)
    state = Lock(State(json: Self.set([Self.jwk()])))
  }

  static func apple(_ clock: ManualClock) -> TestProvider {
    TestProvider("apple", issuer: "https://appleid.apple.com", clock: clock)
  }

  static func google(_ clock: ManualClock) -> TestProvider {
    TestProvider("google", issuer: "https://accounts.google.com", clock: clock)
  }

  // MARK: - Keys

  static func set(_ keys: [JSONObject]) -> JSONValue {
    ["keys": .array(keys.map { .object($0) })]
  }

  /// A key as key sets have it.
  static func jwk(_ id: String = keyID, _ key: RSATestKey = .shared) -> JSONObject {
    [
      "kty": "RSA", "kid": .string(id), "use": "sig", "alg": "RS256",
      "n": .string(Base64URL.encode(key.modulus)), "e": .string(Base64URL.encode(key.exponent)),
    ]
  }

  var readCount: Int { state.withLock { $0.readCount } }

  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  func read() async throws -> (json: [UInt8], lifetime: Duration?) {
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        state.readCount += 1
        if state.isHeld { state.held.append(continuation) }
        return state.isHeld
      }
      if !isHeld { continuation.resume() }
    }
    return try state.withLock { state in
      guard !state.isDown else { throw Down() }
      return (Array(state.json.text.utf8), state.lifetime)
    }
  }

  /// Answers the questions that wait.
  func letGo() {
    let held = state.withLock { state in
      state.isHeld = false
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  // MARK: - Tokens

  /// The claims of a token that is as it should be.
  func claims(_ subject: String, nonce: String, email: String? = nil) -> JSONObject {
    let now = clock.now / 1000
    var claims: JSONObject = [
      "iss": .string(issuer), "aud": .string(clientID), "sub": .string(subject),
      "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 3600)),
      "nonce": .string(nonce),
    ]
    if let email {
      claims["email"] = .string(email)
      claims["email_verified"] = true
    }
    return claims
  }

  static let header: JSONObject = ["alg": "RS256", "kid": .string(keyID), "typ": "JWT"]

  /// A token with these parts.
  static func token(
    _ claims: JSONObject,
    header: JSONObject = header,
    by key: Key = .rsa(.shared)
  ) -> String {
    token(JSONValue.object(claims).text, header: JSONValue.object(header).text, by: key)
  }

  /// A token of texts that need not be JSON.
  static func token(_ claims: String, header: String, by key: Key = .rsa(.shared)) -> String {
    let signed = [header, claims].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    let signature =
      switch key {
      case .rsa(let key): key.sign(Array(signed.utf8))
      case .ellipticCurve(let key): key.sign(Array(signed.utf8))
      }
    return signed + "." + Base64URL.encode(signature)
  }

  /// A notification as Apple sends it.
  func notification(_ id: String, _ event: JSONObject) -> String {
    let now = clock.now / 1000
    return Self.token([
      "iss": .string(issuer), "aud": .string(clientID), "jti": .string(id),
      "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 86_400)),
      "events": .string(JSONValue.object(event).text),
    ])
  }
}

extension IdentityProvider {
  /// The provider of these settings.
  static func test(_ name: String, _ settings: String) throws -> IdentityProvider {
    let value = try JSONReader.read(Array(settings.utf8), limits: JSONLimits(byteCountMax: 8192))
    return try IdentityProvider(name: name, JSONField(value))
  }
}
