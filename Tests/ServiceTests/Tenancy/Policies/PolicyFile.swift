import AccessEngine
import Foundation
import TenancyService

/// Policy files of the repository and made-up ones.
enum PolicyFile {
  /// The bytes of `policies/NAME.json` without its matrix, which would not hold for what tests change.
  static func bytes(_ name: String) throws -> [UInt8] {
    var text = try whole(name)
    guard let start = text.range(of: #""matrix": ["#), let end = text.range(of: #""expect": ["#)
    else { return [UInt8](text.utf8) }
    text.removeSubrange(start.lowerBound..<end.lowerBound)
    return [UInt8](text.utf8)
  }

  /// The bytes of `policies/NAME.json` with one text in place of another, and with these assertions alone: those of
  /// the file are about what the file says.
  static func changed(
    _ name: String,
    _ old: String,
    _ new: String,
    asserting assertions: String
  ) throws -> [UInt8] {
    let text = try whole(name)
    guard text.contains(old), let end = text.range(of: #""assertions": {"#) else {
      throw PolicyError([])
    }
    let changed = text[..<end.upperBound].replacing(old, with: new)
    return [UInt8]("\(changed)\(assertions)}}".utf8)
  }

  /// The text of `policies/NAME.json`.
  static func whole(_ name: String) throws -> String {
    try String(contentsOf: root.appending(path: "policies/\(name).json"), encoding: .utf8)
  }

  /// The text of `docs/guides/NAME.md`.
  static func page(_ name: String) throws -> String {
    try String(contentsOf: root.appending(path: "docs/guides/\(name).md"), encoding: .utf8)
  }

  private static var root: URL {
    var folder = URL(filePath: #filePath)
    while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path()) {
      folder.deleteLastPathComponent()
    }
    return folder
  }

  static func smartHome() throws -> Policy { try Policy.load(bytes("smart-home")) }
}
