import AccessEngine
import Foundation
import TenancyService

/// Policy files of the repository and made-up ones.
enum PolicyFile {
  /// The bytes of `policies/NAME.json`.
  static func bytes(_ name: String) throws -> [UInt8] {
    var folder = URL(filePath: #filePath)
    while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path()) {
      folder.deleteLastPathComponent()
    }
    return [UInt8](try Data(contentsOf: folder.appending(path: "policies/\(name).json")))
  }

  static func smartHome() throws -> Policy { try Policy.load(bytes("smart-home")) }
}
