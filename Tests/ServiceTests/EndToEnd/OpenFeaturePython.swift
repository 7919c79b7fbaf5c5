import Foundation

/// A Python with OpenFeature's own provider of OFREP, from PyPI.
enum OpenFeaturePython {
  /// Where `scripts/setup` installs it.
  private static let folder = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }.appendingPathComponent(".build/tools/openfeature")

  static let executable = folder.appendingPathComponent("bin/python").path

  /// Whether it is there: `scripts/setup` goes on without it where PyPI is out of reach.
  static let isInstalled = FileManager.default.fileExists(
    atPath: folder.appendingPathComponent("installed").path
  )
}
