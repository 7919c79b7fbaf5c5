import Foundation

/// A program of others, in the folder of its own into which `scripts/setup` installs it from PyPI.
struct InstalledTool {
  static let grpcurl = InstalledTool("grpcurl", program: "grpcurl")
  static let buf = InstalledTool("buf", program: "buf")
  /// A Python with Connect's own client, which speaks gRPC and gRPC-Web as well.
  static let connect = InstalledTool("connect", program: "python")
  /// A Python with OpenFeature's own provider of OFREP.
  static let openFeature = InstalledTool("openfeature", program: "python")
  /// A Python with two clients of AuthZEN.
  static let authZen = InstalledTool("authzen", program: "python")

  /// The repository.
  static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  let executable: String
  /// Whether it is there: `scripts/setup` goes on without it where PyPI is out of reach.
  let isInstalled: Bool

  private init(_ folder: String, program: String) {
    let folder = Self.root.appendingPathComponent(".build/tools/\(folder)")
    executable = folder.appendingPathComponent("bin/\(program)").path
    isInstalled = FileManager.default.fileExists(
      atPath: folder.appendingPathComponent("installed").path
    )
  }
}
