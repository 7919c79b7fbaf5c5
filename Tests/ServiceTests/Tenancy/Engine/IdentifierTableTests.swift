import Testing

@testable import AccessEngine
@testable import TenancyService

@Suite("Numbers for identifiers")
struct IdentifierTableTests {
  /// Identifiers of every length, of which those of more than 31 bytes are kept elsewhere; few enough
  /// to be met again.
  private func identifier(_ number: Int) -> String {
    let text = "id\(number)"
    return text + String(repeating: "x", count: number % 40)
  }

  @Test("Random steps leave the same identifiers under the same numbers as in a dictionary")
  func steps_againstDictionary_agree() throws {
    var generator = SystemRandomNumberGenerator()
    var table = IdentifierTable(seed: 5)
    var expected: [String: UInt32] = [:]
    for _ in 0..<50_000 {
      let text = identifier(Int.random(in: 0..<400, using: &generator))
      let handle = table.find(text)
      #expect(handle == expected[text])
      if let handle, Bool.random(using: &generator) {
        table.remove(handle)
        expected[text] = nil
      } else {
        let given = table.intern(text)
        #expect(handle == nil || handle == given)
        #expect(table.text(given) == text)
        // Numbers of what was removed are given again: there are never more than this at once.
        #expect(given < 400)
        expected[text] = given
      }
      #expect(table.count == expected.count)
    }
    #expect(Set(expected.values).count == expected.count)
    for (text, handle) in expected {
      #expect(table.find(text) == handle)
      #expect(table.text(handle) == text)
    }
  }

  @Test("Identifiers whose bytes differ by case, by zeros or by length are different ones")
  func intern_similar_differ() {
    var table = IdentifierTable()
    let long = (31...33).map { String(repeating: "a", count: $0) }
    let similar = ["", "a", "A", "a\0", "a\0\0", "aa"] + long
    let handles = similar.map { table.intern($0) }
    #expect(Set(handles).count == similar.count)
    #expect(handles.map { table.text($0) } == similar)
  }
}
