import Foundation

/// A folder that lasts as long as the object.
final class TemporaryFolder: Sendable {
  let path = "/tmp/gatehouse-e2e-\(UInt64.random(in: 0...(.max)))"

  init() throws {
    try FileManager.default.createDirectory(
      atPath: path,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700]
    )
  }

  deinit {
    // The system empties the place anyway.
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Makes a file that only this user may read.
  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  /// Makes a file that only this user may read.
  func write(_ bytes: [UInt8], to name: String) throws {
    let made = FileManager.default.createFile(
      atPath: file(name),
      contents: Data(bytes),
      attributes: [.posixPermissions: 0o600]
    )
    guard made else { throw CocoaError(.fileWriteUnknown) }
  }

  /// What is in a file.
  func text(of name: String) throws -> String {
    try String(contentsOfFile: file(name), encoding: .utf8)
  }

  /// The last lines of a file, for messages about failures.
  func end(of name: String) -> String {
    let text = (try? String(contentsOfFile: file(name), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(5).joined(separator: "\n")
  }
}
