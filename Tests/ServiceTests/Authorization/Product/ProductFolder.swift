import Foundation

/// A folder that lasts as long as the object; its path is short, because a socket's has to be.
final class ProductFolder: Sendable {
  let root = "/tmp/product-\(UInt64.random(in: 0...(.max)))"

  init() throws {
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
  }

  deinit {
    // The system empties the place anyway.
    try? FileManager.default.removeItem(atPath: root)
  }

  func path(_ name: String) -> String { "\(root)/\(name)" }

  /// Writes a file and returns its path.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }
}
