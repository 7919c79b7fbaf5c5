import Foundation
import Testing

/// `scripts/checks/unused`, which finds declarations that nothing uses.
@Suite struct UnusedDeclarationTests {
  /// What the script says of a file, with a list of exceptions.
  private func check(_ text: String, allowed: String = "") throws -> Protoc.Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = folder.appending(path: "Sources/Library")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    let file = target.appending(path: "File.swift")
    try Data(text.utf8).write(to: file)
    let list = folder.appending(path: "allowed.txt")
    try Data(allowed.replacing("FILE", with: file.path).utf8).write(to: list)
    return try Protoc.run(
      Protoc.root.appending(path: "scripts/checks/unused"),
      [folder.appending(path: "Sources").path, list.path]
    )
  }

  @Test(
    "A planted declaration that nothing uses is found",
    arguments: [
      "func planted() {}", "let planted = 1", "struct planted {}",
      "extension Int {\n  static let planted = 1\n}", "extension Int {\n  func planted() {}\n}",
      "enum Kind {\n  case used, planted\n}\nlet kind = Kind.used\nprint(kind)",
      "enum Kind {\n  case planted(Int, text: String)\n}\nprint(Kind.self)",
      "/// Calls planted().\nfunc planted() {}", "func planted() {}\nprint(\"planted\")",
    ]
  )
  func plantedDeclaration_isFound(_ text: String) throws {
    let outcome = try check(text)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(": nothing uses planted\n"))
    let allowed = try check(text, allowed: "FILE planted for the test")
    #expect(allowed.errors == "")
  }

  @Test(
    "What is used, or called from outside, is fine",
    arguments: [
      "func used() {}\nused()", "let used = 1\nprint(\"number \\(used)\")",
      "enum Kind: String {\n  case read\n}\nprint(Kind(rawValue: text))",
      "extension Int {\n  override func used() {}\n}", "@_cdecl(\"used\")\nfunc used() {}",
      "extension Int {\n  var description: String { text }\n}",
      "@main struct Program {\n  static func main() {}\n}",
    ]
  )
  func usedDeclaration_passes(_ text: String) throws {
    let outcome = try check(text)
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test("An exception that nothing needs is a breach")
  func unneededException_isFound() throws {
    #expect(try check("", allowed: "FILE gone for the test").errors.contains("is used, or gone"))
    #expect(try check("", allowed: "FILE gone").errors.contains("write FILE NAME REASON"))
  }
}
