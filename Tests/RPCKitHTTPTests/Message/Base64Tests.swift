import Testing

@testable import RPCKitHTTP

@Suite struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func vectors_ofTheRFC(text: String, encoded: String) {
    var padded: [UInt8] = []
    Base64.append(Array(text.utf8).span, to: &padded, isPadded: true)
    #expect(String(decoding: padded, as: UTF8.self) == encoded)
    #expect(Base64.unpadded(Array(text.utf8)) == encoded.filter { $0 != "=" })
    #expect(Base64.decode(encoded.utf8) == Array(text.utf8))
    #expect(Base64.decode(encoded.filter { $0 != "=" }.utf8) == Array(text.utf8))
  }

  @Test func decode_bothAlphabets_areRead() {
    #expect(Base64.decode("+/+/".utf8) == [0xFB, 0xFF, 0xBF])
    #expect(Base64.decode("-_-_".utf8) == Base64.decode("+/+/".utf8))
  }

  @Test(arguments: ["A", "A===", "AA=", "AAA==", "AAAA=", "AA=A", "A A", "AAAAA", "=", "A\u{e9}"])
  func decode_otherText_isNil(text: String) {
    #expect(Base64.decode(text.utf8) == nil)
  }
}
