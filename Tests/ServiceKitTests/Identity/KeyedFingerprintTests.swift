import Testing

@testable import ServiceKit

@Suite("Fingerprints under a key")
struct KeyedFingerprintTests {
  private func bytes(_ count: Int, _ generator: inout some RandomNumberGenerator) -> [UInt8] {
    (0..<count).map { _ in .random(in: 0...255, using: &generator) }
  }

  @Test("Equal strings have equal fingerprints, and another key gives others")
  func value_sameString_isSame() {
    var generator = SystemRandomNumberGenerator()
    let (first, second) = (KeyedFingerprint(byteCountMax: 600), KeyedFingerprint(byteCountMax: 600))
    for count in 0...600 {
      let string = bytes(count, &generator)
      let copy = Array(string)
      #expect(first.value(of: string.span) == first.value(of: copy.span))
      // Zero bytes more or less must not go unseen, nor a string of none.
      if count > 0 { #expect(first.value(of: string.span) != second.value(of: string.span)) }
    }
  }

  @Test("Every single bit of a string counts, wherever it is")
  func value_anyBitChanged_differs() {
    var generator = SystemRandomNumberGenerator()
    let fingerprint = KeyedFingerprint(byteCountMax: 64)
    for count in 1...40 {
      let string = bytes(count, &generator)
      let value = fingerprint.value(of: string.span)
      for bit in 0..<count * 8 {
        var changed = string
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(fingerprint.value(of: changed.span) != value, "bit \(bit) of \(count) bytes")
      }
    }
  }

  @Test("Zeros at the end count, words that trade places as well")
  func value_sameWords_differ() {
    let fingerprint = KeyedFingerprint(byteCountMax: 64)
    var seen: Set<KeyedFingerprint.Value> = []
    for count in 0...64 {
      seen.insert(fingerprint.value(of: [UInt8](repeating: 0, count: count).span))
    }
    #expect(seen.count == 65)
    let (one, two) = ([UInt8](repeating: 1, count: 8), [UInt8](repeating: 2, count: 8))
    for arrangement in [one + two, two + one, one + one, two + two] {
      seen.insert(fingerprint.value(of: arrangement.span))
    }
    #expect(seen.count == 69)
  }

  /// A source that gives 0, 7, 14, … makes the key known, so that the sum can be made again here.
  private struct Counting: RandomSource {
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) } }
  }

  /// The sums of the theorem, over the blocks of 16 bytes that `counts` names by their starts, and over
  /// the length under the key from `lengthPlace` on.
  private func plainSums(
    _ string: [UInt8],
    length: UInt64,
    lengthPlace: Int,
    where counts: (Int) -> Bool = { _ in true }
  ) -> [UInt128] {
    func word(_ bytes: [UInt8], _ start: Int) -> UInt64 {
      (0..<8).reduce(0) { word, place in
        let index = start + place
        return word | UInt64(index < bytes.count ? bytes[index] : 0) << UInt64(8 * place)
      }
    }
    let key = Counting().bytes(lengthPlace + 32)
    var sums = [UInt128](repeating: 0, count: 2)
    func add(_ low: UInt64, _ high: UInt64, _ start: Int) {
      for pass in 0..<2 {
        let left = low &+ word(key, start + 16 * pass)
        let right = high &+ word(key, start + 8 + 16 * pass)
        let product = left.multipliedFullWidth(by: right)
        sums[pass] &+= UInt128(product.high) << 64 | UInt128(product.low)
      }
    }
    for start in stride(from: 0, to: string.count, by: 16) where counts(start) {
      add(word(string, start), word(string, start + 8), start)
    }
    add(length, 0, lengthPlace)
    return sums
  }

  @Test("It is the sum that the theorem is about")
  func value_againstPlainSum_agrees() {
    let fingerprint = KeyedFingerprint(byteCountMax: 100, random: Counting())
    var generator = SystemRandomNumberGenerator()
    for count in 0...100 {
      let string = bytes(count, &generator)
      let expected = plainSums(string, length: UInt64(count), lengthPlace: 112)
      #expect(fingerprint.value(of: string.span).sums == expected)
    }
  }

  @Test("Three strings are told apart as one string is in which each has its own place")
  func value_ofThree_isThatOfFilledUp() {
    let fingerprint = KeyedFingerprint(byteCountMax: 3 * 64, random: Counting())
    #expect(fingerprint.thirdByteCountMax == 64)
    var generator = SystemRandomNumberGenerator()
    for count in 0...64 {
      let one = bytes(count, &generator)
      let two = bytes(64 - count, &generator)
      let three = bytes(31, &generator)
      let counts = [one.count, two.count, three.count]
      let filled = [one, two, three].flatMap { $0 + [UInt8](repeating: 0, count: 64 - $0.count) }
      // A block beyond the end of its string would add the same for all strings of that length.
      let length = UInt64(one.count) | UInt64(two.count) << 16 | UInt64(three.count) << 32
      let expected = plainSums(filled, length: length, lengthPlace: 3 * 64) {
        $0 % 64 < counts[$0 / 64]
      }
      #expect(fingerprint.value(of: one.span, two.span, three.span).sums == expected)
    }
  }

  @Test("A byte that moves from one of three strings to the next makes another fingerprint")
  func value_ofThree_movedByte_differs() {
    let fingerprint = KeyedFingerprint(byteCountMax: 3 * 64)
    let parts: [[String]] = [
      ["ab", "c", "d"], ["a", "bc", "d"], ["abc", "", "d"], ["", "abc", "d"], ["c", "ab", "d"],
      ["ab", "cd", ""], ["ab", "d", "c"], ["ab", "c", "d\0"], ["ab\0", "c", "d"],
    ]
    var seen: Set<KeyedFingerprint.Value> = []
    for part in parts {
      let (one, two, three) = (Array(part[0].utf8), Array(part[1].utf8), Array(part[2].utf8))
      seen.insert(fingerprint.value(of: one.span, two.span, three.span))
    }
    #expect(seen.count == parts.count)
  }

  @Test("A hundred thousand identifiers differ and spread in the word that tables use")
  func word_manyIdentifiers_spreads() {
    // A key that spreads identifiers so much alike unevenly is rare, but it may be drawn.
    let unevenCount = (0..<4).count { _ in
      let fingerprint = KeyedFingerprint(byteCountMax: 64)
      var words: Set<UInt64> = []
      var places: [UInt64: Int] = [:]
      for number in 0..<100_000 {
        let word = fingerprint.value(of: "dev_06xrk5tq8k0000000000\(number)".utf8.span).word
        words.insert(word)
        places[word & 1023, default: 0] += 1
      }
      #expect(words.count == 100_000)
      // About 98 each; ten standard deviations around it.
      return places.count < 1024 || !places.values.allSatisfy { (0...200).contains($0) }
    }
    #expect(unevenCount <= 1)
  }
}
