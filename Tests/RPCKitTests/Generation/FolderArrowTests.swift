import Foundation
import Testing

/// `scripts/checks/folders`, which keeps the folders of RPCKit from using each other in circles.
@Suite struct FolderArrowTests {
  /// What the script says of two folders of a library, `Low` and `High`.
  private func check(
    low: String = "struct Small {}",
    high: String = "let one = Small()",
    arrows: String = "Low:\nHigh: Low"
  ) throws -> Protoc.Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let sources = folder.appending(path: "Library")
    for (name, text) in [("Low", low), ("High", high)] {
      let directory = sources.appending(path: name)
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: directory.appending(path: "File.swift"))
    }
    let list = folder.appending(path: "arrows.txt")
    try Data(arrows.utf8).write(to: list)
    return try Protoc.run(
      Protoc.root.appending(path: "scripts/checks/folders"),
      [sources.path, list.path]
    )
  }

  @Test("Arrows that are allowed and used are fine")
  func allowedArrows_pass() throws {
    let outcome = try check()
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test(
    "A planted arrow against the order is found",
    arguments: [
      "struct Small { var large: Large }",
      "struct Small {}\nextension Library.Large {}",
      #"struct Small { var text: String { "\(Large.self)" } }"#,
      "struct Small {}\nfunc use() { makeLarge() }",
    ]
  )
  func arrowAgainstTheOrder_fails(_ low: String) throws {
    let high = "public final class Large { let one = Small() }\nfunc makeLarge() {}"
    let outcome = try check(low: low, high: high)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("Low/File.swift:"))
    #expect(outcome.errors.contains("Low uses "))
    #expect(outcome.errors.contains(" of High, which "))
  }

  @Test("A member that only an extension in another folder declares is an arrow")
  func memberOfExtension_fails() throws {
    let high = "extension Small {\n  var doubled: Small { self }\n}"
    let low = "struct Small {}\nfunc use(_ small: Small) -> Small { small.doubled }"
    let outcome = try check(low: low, high: high)
    #expect(outcome.errors.contains("Low/File.swift:2: Low uses .doubled of High"))
    // It may be the other one.
    let other = "\nstruct Other { var doubled = 1 }"
    #expect(try check(low: low + other, high: high).status == 0)
  }

  @Test("A type that a folder only mentions, or has under the same name itself, is no arrow")
  func mentions_pass() throws {
    let high = "public final class Large { let one = Small() }\nstruct Other {}"
    let low = """
      /// Used by Large.
      struct Small { let text = "a Large one"; var value: Value.Large; enum Other {} }
      let other = Small.Other()
      """
    #expect(try check(low: low, high: high).status == 0)
  }

  @Test("The list of arrows has no circle, and nothing that is not used")
  func listOfArrows_isChecked() throws {
    let circle = try check(arrows: "Low: High\nHigh: Low")
    #expect(circle.status == 1)
    #expect(circle.errors.contains("High has no line above"))
    let unused = try check(high: "struct Alone {}")
    #expect(unused.status == 1)
    #expect(unused.errors.contains("High does not use Low"))
    let missing = try check(arrows: "Low:")
    #expect(missing.errors.contains("High is missing"))
  }
}
