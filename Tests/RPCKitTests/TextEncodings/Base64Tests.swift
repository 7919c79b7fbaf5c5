import Testing
import TextEncodings

@Suite struct Base64Tests {
  private static let alphabets: [Base64.Alphabet] = [.standard, .url]

  private func exact(
    _ text: String,
    _ alphabet: Base64.Alphabet = .url,
    isPadded: Bool = false
  ) -> [UInt8]? {
    Base64.decodeExact(text.utf8.span, alphabet, isPadded: isPadded)
  }

  private func tolerant(_ text: String) -> [UInt8]? { Base64.decode(text.utf8.span) }

  @Test(
    "The vectors of RFC 4648 section 10 come out and go in",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]
  )
  func vectors_ofTheRFC(text: String, encoded: String) {
    let bytes = Array(text.utf8)
    let unpadded = encoded.filter { $0 != "=" }
    for alphabet in Self.alphabets {
      #expect(Base64.encode(bytes.span, alphabet, isPadded: true) == encoded)
      #expect(Base64.encode(bytes.span, alphabet, isPadded: false) == unpadded)
      #expect(exact(encoded, alphabet, isPadded: true) == bytes)
      #expect(exact(unpadded, alphabet, isPadded: false) == bytes)
    }
    #expect(tolerant(encoded) == bytes)
    #expect(tolerant(unpadded) == bytes)
  }

  @Test("The alphabets differ in two letters, and each is exact about its own")
  func alphabets_differInTwoLetters() {
    let bytes: [UInt8] = [0xFB, 0xFF, 0xBF]
    #expect(Base64.encode(bytes.span, .standard, isPadded: true) == "+/+/")
    #expect(Base64.encode(bytes.span, .url, isPadded: true) == "-_-_")
    #expect(exact("+/+/", .standard) == bytes)
    #expect(exact("-_-_", .url) == bytes)
    #expect(exact("-_-_", .standard) == nil)
    #expect(exact("+/+/", .url) == nil)
    for text in ["+/+/", "-_-_", "+_-/"] { #expect(tolerant(text) == bytes) }
  }

  @Test("Bytes of every length come back, whatever their text looks like")
  func everyLength_roundTrips() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 250) }
      for alphabet in Self.alphabets {
        for isPadded in [true, false] {
          let text = Base64.encode(bytes.span, alphabet, isPadded: isPadded)
          #expect(exact(text, alphabet, isPadded: isPadded) == bytes)
          #expect(tolerant(text) == bytes)
          #expect(Base64.letters(bytes.span, alphabet, isPadded: isPadded) == Array(text.utf8))
        }
      }
    }
  }

  @Test(
    "A text that is not exactly what is written without padding is refused",
    arguments: ["A", "AB", "AAB", "AA==", "AA=", "A A", "AA\n", "+/+/", "é", "AAAAA"]
  )
  func decodeExact_unpaddedOtherText_isNil(text: String) {
    #expect(exact(text) == nil)
  }

  @Test(
    "A text that is not exactly what is written with padding is refused",
    arguments: [
      "A", "AA", "AAA", "AA=", "A===", "====", "=", "AAAA=", "AAAA====", "AA=A", "AB==", "AAB=",
      "AA==\n", " AA==", "AA==AA==",
    ]
  )
  func decodeExact_paddedOtherText_isNil(text: String) {
    for alphabet in Self.alphabets { #expect(exact(text, alphabet, isPadded: true) == nil) }
  }

  @Test("Of all texts, one stands for each byte, and one for each two and three of them")
  func decodeExact_everyText_standsForOnlyOne() {
    let everyByte = (0...255).map { UInt8($0) }
    for beginning in [[], Array("A".utf8), Array("-9".utf8)] as [[UInt8]] {
      var accepted = 0
      for first in everyByte {
        for second in everyByte {
          let text = beginning + [first, second]
          guard let bytes = Base64.decodeExact(text.span, .url, isPadded: false) else { continue }
          accepted += 1
          guard Base64.letters(bytes.span, .url, isPadded: false) != text else { continue }
          Issue.record("\(text) is not what \(bytes) are written as")
        }
      }
      // What is free: one byte; two bytes but for the six bits of the beginning; 12 bits.
      #expect(accepted == [256, 1024, 4096][beginning.count])
    }
  }

  @Test("A tolerant reader ignores bits that no byte uses")
  func decode_unusedBits_areIgnored() {
    #expect(tolerant("AB") == [0])
    #expect(tolerant("AAB=") == [0, 0])
  }

  @Test(
    "A tolerant reader refuses wrong padding and what is no letter",
    arguments: [
      "A", "A===", "AA=", "AAA==", "AAAA=", "AA=A", "A A", "AAAAA", "=", "AA==AA==", "A\u{e9}",
      "AA.A", "AA==\n",
    ]
  )
  func decode_otherText_isNil(text: String) {
    #expect(tolerant(text) == nil)
  }

  @Test("Each letter has its value, and nothing else has one")
  func value_ofEveryByte() {
    var letters: [UInt8: UInt8] = [:]
    for alphabet in Self.alphabets {
      for value in UInt8(0)..<64 {
        letters[Base64.letters([value << 2].span, alphabet, isPadded: false)[0]] = value
      }
    }
    #expect(letters.count == 66)
    for byte in UInt8.min...UInt8.max { #expect(Base64.value(of: byte) == letters[byte]) }
  }
}
