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
