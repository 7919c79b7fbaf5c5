public import Foundation

/// Secrets and cached answers as files of a folder that its owner alone may read: for command lines.
///
/// On phones the keychain is the place for secrets; this is for cached answers there.
public struct FileStore: SecretStore, CacheStore {
  private let folder: URL

  /// Keeps files in a folder, which is made when the first is written.
  public init(folder: URL) {
    self.folder = folder
  }

  private func file(_ name: String) -> URL {
    folder.appendingPathComponent(Escaping.escaped(name))
  }

  /// The value with a name.
  public func read(_ name: String) async -> SecretRead {
    do {
      return .value(try Data(contentsOf: file(name)))
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      return .none
    } catch {
      return .unavailable
    }
  }

  /// The value with a name.
  public func read(_ name: String) async -> Data? {
    guard case .value(let value) = await read(name) as SecretRead else { return nil }
    return value
  }

  /// Keeps a value.
  public func write(_ name: String, _ value: Data) async throws {
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    // Written beside it and renamed, so that a process that ends halfway leaves the old one.
    try value.write(to: file(name), options: .atomic)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600],
      ofItemAtPath: file(name).path
    )
  }

  /// Removes a value; there need not be one.
  public func remove(_ name: String) async throws {
    do {
      try FileManager.default.removeItem(at: file(name))
    } catch CocoaError.fileNoSuchFile {
      return
    }
  }

  /// Removes all values whose name begins with a text.
  public func removeAll(prefix: String) async throws {
    let start = Escaping.escaped(prefix)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasPrefix(start) {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }
}
