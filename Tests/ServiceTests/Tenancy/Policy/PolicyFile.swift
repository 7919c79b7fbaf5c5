import AccessEngine
import Foundation
import TenancyService

/// Policy files of the repository and made-up ones.
enum PolicyFile {
  /// The bytes of `policies/NAME.json`.
  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: root.appending(path: "policies/\(name).json")))
  }

  /// The text of `docs/NAME.md`.
  static func page(_ name: String) throws -> String {
    try String(contentsOf: root.appending(path: "docs/\(name).md"), encoding: .utf8)
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
