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
    try makeFolder()
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

  private static let lockName = ".lock"

  /// Runs something with a lock on a file of the folder, which ends with the process that has it.
  ///
  /// It waits two seconds at most: a process may be stopped while it has the lock.
  public func exclusively<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    let lock = try lockFile()
    defer { try? lock.close() }
    var tries = 0
    while flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) != 0 {
      tries += 1
      guard tries < 400 else { throw CocoaError(.fileLocking) }
      try await Task.sleep(for: .milliseconds(5))
    }
    return try await body()
  }

  private func lockFile() throws -> FileHandle {
    let file = folder.appendingPathComponent(Self.lockName)
    try makeFolder()
    do {
      // One that is there already stays: another process may have the lock on it.
      try Data().write(to: file, options: .withoutOverwriting)
    } catch CocoaError.fileWriteFileExists {}
    return try FileHandle(forUpdating: file)
  }

  private func makeFolder() throws {
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
  }

  /// Removes all values whose name begins with a text.
  public func removeAll(prefix: String) async throws {
    let start = Escaping.escaped(prefix)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasPrefix(start) && name != Self.lockName {
      // Another process may remove them at the same time.
      do {
        try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
      } catch CocoaError.fileNoSuchFile {}
    }
  }
}
