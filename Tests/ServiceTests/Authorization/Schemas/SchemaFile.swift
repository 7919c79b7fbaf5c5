import Foundation
import Testing

/// A JSON Schema of the repository, and the validator of python3-jsonschema.
struct SchemaFile {
  /// A file of `schemas/`.
  let name: String

  static let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  /// The text of a file of the repository.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Which of the texts the schema refuses, by their places.
  func refused(_ texts: [String]) throws -> Set<Int> {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = texts.indices.map { folder.appending(path: "\($0).json") }
    for (file, text) in zip(files, texts) {
      try text.write(to: file, atomically: false, encoding: .utf8)
    }
    let (process, output) = (Process(), Pipe())
    process.executableURL = Self.root.appending(path: "scripts/checks/schemas")
    process.arguments =
      [Self.root.appending(path: "schemas/\(name)").path] + files.map(\.path)
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let refused = files.indices.filter { printed.contains("\(files[$0].path): ") }
    // 0 and 1 are answers; anything else says that there was no validation.
    #expect(process.terminationStatus == (refused.isEmpty ? 0 : 1), "\(printed)")
    return Set(refused)
  }
}

/// A mistake that is planted into a file by replacing the first occurrence of a text.
struct PlantedMistake {
  let right: String
  let wrong: String
  /// Whether a schema can say that it is one.
  let isForSchema: Bool

  /// One that the schema refuses too.
  static func both(_ right: String, _ wrong: String) -> PlantedMistake {
    PlantedMistake(right: right, wrong: wrong, isForSchema: true)
  }

  /// One that only the loader can see, because it is about what other parts of the file say.
  static func loader(_ right: String, _ wrong: String) -> PlantedMistake {
    PlantedMistake(right: right, wrong: wrong, isForSchema: false)
  }

  /// The file with it.
  func planted(in text: String) throws -> String {
    let place = try #require(text.range(of: right), "no \(right)")
    return text.replacingCharacters(in: place, with: wrong)
  }
}
