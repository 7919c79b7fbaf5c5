import ServiceKit
import Testing

@testable import AuthService

@Suite("Tokens of mails")
struct MailTokenTests {
  /// The same byte, as often as wanted.
  private struct EqualBytes: RandomSource {
    let byte: UInt8

    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
  }

  @Test(
    "No token begins like an option, whatever bytes are drawn",
    arguments: 0...255 as ClosedRange<UInt8>
  )
  func token_anyBytes_isNoOption(byte: UInt8) {
    let key = MailTokenKey(secret: HMACKey([1, 2, 3]))
    let (token, _) = key.issue(.verifyEmail, now: 0, EqualBytes(byte: byte))
    #expect(token.first?.isLetter == true)
    #expect(key.digest(of: token, .verifyEmail) != nil)
    #expect(key.digest(of: token, .verifyEmail) != key.digest(of: token, .resetPassword))
  }
}
