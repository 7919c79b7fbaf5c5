import Foundation
import Testing

@testable import AuthService

/// Replays the committed inputs of the fuzz target, which is a source of this target too.
@Suite("Fuzz corpus of foreign hashes")
struct ForeignHashCorpusTests {
  @Test("Every input and each of its beginnings keeps the promises, and all forms are among them")
  func corpus_keepsPromises() throws {
    // From Tests/ServiceTests/Auth/Fuzzing to the root of the repository.
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let inputs = try FileManager.default.contentsOfDirectory(
      at: root.appendingPathComponent("fuzz/corpora/foreign-hash"),
      includingPropertiesForKeys: nil
    ).map { [UInt8](try Data(contentsOf: $0)) }
    var forms: Set<String> = []
    var objections: Set<ForeignHash.Objection> = []
    for input in inputs {
      for count in 0...input.count { ForeignHashProperties.check(Array(input.prefix(count))) }
      do throws(ForeignHash.Objection) {
        switch try ForeignHash(String(decoding: input, as: UTF8.self)) {
        case .crypt: forms.insert("crypt")
        case .argon2id: forms.insert("argon2id")
        case .pbkdf2: forms.insert("pbkdf2")
        case .firebase: forms.insert("firebase")
        case .salted: forms.insert("salted")
        }
      } catch {
        objections.insert(error)
      }
    }
    #expect(forms == ["crypt", "argon2id", "pbkdf2", "firebase", "salted"])
    #expect(objections == [.unknown, .tooCostly])
  }
}
