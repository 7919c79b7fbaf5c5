// Fuzz target: tokens, as `authorization` carries them.
@testable import ServiceKit

/// What must hold of any text that claims to be a token.
enum TokenProperties {
  /// The input as it is, and its lines as header, claims and signature, so that what lies behind the
  /// base 64 is reached as well.
  static func check(_ input: [UInt8]) {
    checkText(String(decoding: input, as: UTF8.self))
    let lines = input.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3 else { return }
    checkText(lines.map { Base64URL.encode(Array($0)) }.joined(separator: "."))
  }

  private static func checkText(_ text: String) {
    let token: JSONWebToken
    do throws(TokenFault) {
      token = try JSONWebToken(parsing: text)
    } catch {
      return
    }
    precondition(text.utf8.count <= JSONWebToken.byteCountMax, "a token past the limit was parsed")
    let signed = String(decoding: token.signedBytes, as: UTF8.self)
    precondition(
      text == signed + "." + Base64URL.encode(token.signature),
      "a token has a second spelling"
    )
    precondition(!token.isSigned(by: key), "a signature of nobody's was believed")
  }

  private static let key = SigningKey.generate().verificationKey
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzToken(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  TokenProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
