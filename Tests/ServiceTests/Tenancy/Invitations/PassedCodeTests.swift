import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Codes that people pass on")
struct PassedCodeTests {
  /// Hands out bytes of a test's choice.
  private struct Bytes: RandomSource {
    let given: [UInt8]

    func bytes(_ count: Int) -> [UInt8] { Array(given.prefix(count)) }
  }

  @Test("No letter of a code looks like another one")
  func alphabet_hasNoLookAlikes() {
    var letters: Set<Character> = []
    for byte in UInt8.min...UInt8.max {
      letters.formUnion(PassedCode(letterCount: 1, random: Bytes(given: [0, byte])).text)
      if byte < 234 {
        letters.formUnion(PassedCode(letterCount: 1, random: Bytes(given: [byte])).text)
      }
    }
    #expect(letters.count == 26)
    for pair in ["O0", "Q0", "I1", "L1", "UV", "Z2", "S5", "B8", "G6"] {
      #expect(letters.intersection(pair).count < 2, "\(pair)")
    }
  }

  @Test("All letters are equally likely: bytes that would favour some are left out")
  func letters_ofBytes_areEven() {
    var counts: [Character: Int] = [:]
    for byte in UInt8.min...UInt8.max {
      // Followed by one that counts, so that a byte which is left out shows.
      let code = PassedCode(letterCount: 1, random: Bytes(given: [byte, 0])).text
      counts[code.first ?? "?", default: 0] += 1
    }
    let first = counts.removeValue(forKey: "3") ?? 0
    #expect(Set(counts.values) == [9])
    #expect(first == 9 + 256 - 234)
  }

  @Test("What people type is read as it was meant")
  func typed_differently_isTheSame() {
    let code = PassedCode(typed: "ABCD3479")
    for typed in ["abcd3479", "ABCD-3479", " ab cd 34-79 "] {
      #expect(PassedCode(typed: typed) == code)
    }
    #expect(PassedCode(typed: "ABCD347") != code)
    #expect(PassedCode(typed: "\u{0}ABCD3479") != code)
  }

  @Test("A code for one purpose is no code for another one")
  func digest_dependsOnPurposeAndKey() {
    let code = PassedCode(typed: "ABCD3479")
    let digests = CodeDigests(key: [UInt8](repeating: 1, count: 32))
    let other = CodeDigests(key: [UInt8](repeating: 2, count: 32))
    #expect(digests.digest(of: code, for: "a") == digests.digest(of: code, for: "a"))
    #expect(digests.digest(of: code, for: "a") != digests.digest(of: code, for: "b"))
    #expect(digests.digest(of: code, for: "a") != other.digest(of: code, for: "a"))
  }
}
