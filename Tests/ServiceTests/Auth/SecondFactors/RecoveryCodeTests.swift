import ServiceKit
import Testing

@testable import AuthService

@Suite("Recovery codes as people type them")
struct RecoveryCodeTests {
  @Test("A code is shown in two groups, and read again however it is typed")
  func typed_variants_areTheSame() {
    let code = RecoveryCode(SystemRandomSource())
    #expect(code.shown.wholeMatch(of: #/[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}/#) != nil)
    let typed = [
      code.shown, code.text, code.shown.uppercased(),
      " \(code.text.prefix(3)) - \(code.text.dropFirst(3)) ",
    ]
    for text in typed { #expect(RecoveryCode(typed: text) == code, "\(text)") }
    #expect(RecoveryCode(typed: "OoIiLl-0123")?.text == "001111" + "0123")
  }

  @Test(
    "Anything else is none",
    arguments: ["", "12345", "12345-678901", "12345-6789u", "１２３４５-67890"]
  )
  func typed_other_isNone(text: String) {
    #expect(RecoveryCode(typed: text) == nil)
  }

  @Test("The digest of a code is of one user and one key, and tokens have others")
  func digest_userAndKey_matter() throws {
    let code = RecoveryCode(SystemRandomSource())
    let key = SecondFactorKey(secret: HMACKey([UInt8](repeating: 1, count: 32)))
    let other = SecondFactorKey(secret: HMACKey([UInt8](repeating: 2, count: 32)))
    let digests = [
      key.digest(of: code, of: "usr_1"), key.digest(of: code, of: "usr_2"),
      other.digest(of: code, of: "usr_1"), key.attempts(of: "usr_1", from: nil),
      key.attempts(of: "usr_1", from: [1]),
    ]
    #expect(Set(digests).count == digests.count)
    let token = key.makeToken(SystemRandomSource())
    #expect(key.digest(ofToken: token.text) == token.digest)
    #expect(other.digest(ofToken: token.text) != token.digest)
    for text in ["", "AAAA", token.text + "A", token.text + "!"] {
      #expect(key.digest(ofToken: text) == nil, "\(text)")
    }
  }
}
