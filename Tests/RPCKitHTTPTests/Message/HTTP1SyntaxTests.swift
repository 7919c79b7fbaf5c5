import Testing

@testable import RPCKitHTTP

/// The tables of `HTTP1Syntax` against the text of RFC 9110.
struct HTTP1SyntaxTests {
  @Test("The characters of a token are those of RFC 9110 section 5.6.2, and no others")
  func tokens_areThoseOfTheStandard() {
    let letters = "abcdefghijklmnopqrstuvwxyz"
    let known = Set("!#$%&'*+-.^_`|~0123456789\(letters)\(letters.uppercased())".utf8)
    for byte in UInt8.min...UInt8.max {
      #expect(HTTP1Syntax.isToken(byte) == known.contains(byte), "\(byte)")
    }
  }

  @Test("A value has no control characters but the tab (RFC 9110 section 5.5)")
  func values_haveNoControls() {
    for byte in UInt8.min...UInt8.max {
      let isControl = (byte < 0x20 && byte != 0x09) || byte == 0x7F
      #expect(HTTP1Syntax.isFieldValue(byte) == !isControl, "\(byte)")
      #expect(HTTP1Syntax.isFieldValue([65, byte, 66].span) == !isControl, "\(byte)")
    }
  }
}
