import Foundation
import Testing

/// That a statement about documents without a user cannot be written unnoticed.
@Suite("The statements about documents")
struct DocumentSourceTests {
  /// From Tests/ServiceTests/Tenancy/Documents to the sources of the service.
  private static let sources = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }.appending(path: "Sources/TenancyService")

  private static func files() throws -> [(name: String, text: String)] {
    let files = try #require(FileManager.default.enumerator(atPath: sources.path))
    var found: [(name: String, text: String)] = []
    for case let file as String in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      found.append((URL(fileURLWithPath: file).lastPathComponent, text))
    }
    return found
  }

  @Test("Every statement about documents is in UserDocuments, and names the user")
  func statements_nameTheUser() throws {
    let tables = #/(FROM|INTO|UPDATE|JOIN)\s+(document|document_usage|legacy_migration)\b/#
    let literals = #/"""(?s:.*?)"""|"[^"\n]*"/#
    // Their columns make statements of conditions, and are known to one file each.
    let columns =
      #/(.*)= RecordColumns<\w+>\(\s*"(?:document|document_usage|legacy_migration)"/#
    let conditions = #/"WHERE [^"]*"/#
    let selections = #/\.(?:query|first)\(\s*(?:Self\.\w+|columns),\s*(\S*)/#
    var count = 0
    for (name, text) in try Self.files() where !name.hasPrefix("TenancySchema") {
      for declaration in text.matches(of: columns) {
        #expect(declaration.1.hasPrefix("  private static let "), "\(name): \(declaration.0)")
        #expect(name.hasPrefix("UserDocuments"), "\(name): \(declaration.0)")
      }
      if name.hasPrefix("UserDocuments") {
        for selection in text.matches(of: selections) {
          let isConditional = selection.1 == "\"WHERE" || selection.1 == "condition,"
          #expect(isConditional, "\(name): \(selection.0)")
        }
        for condition in text.matches(of: conditions) {
          count += 1
          #expect(condition.0.contains("user_id = ?"), "\(name): \(condition.0)")
        }
      }
      for literal in text.matches(of: literals) {
        let statement = String(literal.0)
        guard statement.contains(tables) else { continue }
        count += 1
        // What operators count of all users shows nothing of any.
        let isCount = statement.contains("SELECT count(*) FROM legacy_migration")
        #expect(name.hasPrefix("UserDocuments") || isCount, "\(name): \(statement)")
        let namesUser =
          statement.contains("user_id = ?") || statement.contains("(user_id, ") || isCount
        #expect(namesUser, "\(name): \(statement)")
      }
    }
    #expect(count >= 12)
  }

  @Test(
    "The user comes from the caller's proof and from nowhere else, and is known to nothing else"
  )
  func user_isOfTheCaller() throws {
    for (name, text) in try Self.files() {
      for line in text.split(separator: "\n") {
        // Made of a call, always.
        if line.contains("UserDocuments(") { #expect(line.contains("UserDocuments(call)")) }
        if line.contains("documents.userID") { Issue.record("\(name): \(line)") }
      }
    }
    let type = try #require(try Self.files().first { $0.name == "UserDocuments.swift" }?.text)
    #expect(type.matches(of: #/\binit\(/#).count == 1)
    #expect(type.contains("init(_ call: CallContext)"))
  }
}
