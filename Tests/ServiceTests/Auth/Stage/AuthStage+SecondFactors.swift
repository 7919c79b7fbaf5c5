import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

/// An authenticator app that was added to an account.
struct AuthenticatorApp: Sendable {
  let secret: [UInt8]
  let confirmed: Auth_V1.ConfirmTotpResponse

  /// What it shows at a time, or so many steps later.
  func code(at now: Int64, _ offset: Int64 = 0) -> String {
    TimeCode(secret: secret).code(step: TimeCode.step(at: now) + offset)
  }
}

extension AuthStage {
  /// Adds an authenticator app to the account of whoever is signed in.
  @discardableResult
  func enroll(_ user: Auth_V1.SignInResponse) async throws -> AuthenticatorApp {
    let enrolled = try await secondFactors.enrollTotp(.init(), options: with(user))
    let secret = try Self.decoded(base32: enrolled.secret)
    let code = TimeCode(secret: secret).code(step: TimeCode.step(at: clock.now))
    let confirmed = try await secondFactors.confirmTotp(.init(code: code), options: with(user))
    return AuthenticatorApp(secret: secret, confirmed: confirmed)
  }

  /// The bytes of a text in base 32, by the RFC and not by the code that made it.
  static func decoded(base32 text: String) throws -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    let bits = try text.flatMap { letter -> [UInt8] in
      let value = try #require(alphabet.firstIndex(of: letter))
      return (0..<5).map { UInt8(value >> (4 - $0) & 1) }
    }
    return (0..<bits.count / 8).map { byte in
      bits[byte * 8..<byte * 8 + 8].reduce(0) { $0 << 1 | $1 }
    }
  }
}
