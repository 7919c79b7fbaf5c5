internal import RPCKit
internal import ServiceKit

/// The file that keeps the session between commands, readable by its owner alone.
struct SessionFile: Sendable {
  /// Where it is.
  let path: String
  private static let byteCountMax = 64 << 10

  /// The session; nil when nobody is signed in.
  func read() throws -> Session? {
    guard SecretFile.exists(path) else { return nil }
    let bytes = try FileBytes.read(path, byteCountMax: Self.byteCountMax)
    do {
      let limits = JSONLimits(byteCountMax: Self.byteCountMax, depthMax: 2)
      return try Session(try JSONReader.read(bytes, limits: limits))
    } catch {
      throw FileError(
        "\(path) is not a session file (\(error)); choose another with --session"
      )
    }
  }

  /// Keeps `session` instead of what was there.
  func write(_ session: Session) throws(FileError) {
    try SecretFile.replace(path, with: session.json.indentedText + "\n")
  }

  /// Forgets the session.
  func remove() throws(FileError) {
    try SecretFile.remove(path)
  }
}
