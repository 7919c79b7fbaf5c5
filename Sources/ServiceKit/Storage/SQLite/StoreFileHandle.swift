internal import Glibc
internal import RPCKit

/// An open file of a store, read and written at given places beside SQLite.
///
/// Closing any descriptor of a file drops the POSIX locks that the process holds on it
/// (sqlite.org/howtocorrupt.html, section 2.2). The handle of a database file is therefore made before
/// SQLite opens the file and goes after SQLite has closed it, and a process never has two of one file.
@safe
final class StoreFileHandle: Sendable {
  /// The identity of a file, whatever it is called.
  private struct Identity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
  }

  /// The database files that this process has open.
  private static let openStores = Lock<Set<Identity>>([])

  let path: String
  private let descriptor: Int32
  private let claim: Identity?

  private init(_ path: String, _ descriptor: Int32, claim: Identity? = nil) {
    self.path = path
    self.descriptor = descriptor
    self.claim = claim
  }

  deinit {
    _ = Glibc.close(descriptor)
    guard let claim else { return }
    Self.openStores.withLock { stores in _ = stores.remove(claim) }
  }

  /// Opens a file beside the store, and makes it if it is missing; only its owner may read it.
  static func openPrivately(_ path: String) throws(StoreError) -> StoreFileHandle {
    let descriptor = try openDescriptor(path)
    let handle = StoreFileHandle(path, descriptor)
    guard fchmod(descriptor, 0o600) == 0 else { throw StoreFile.failure(path, "fchmod", errno) }
    return handle
  }

  /// Opens a file to read it; nil where there is none.
  static func openForReading(_ path: String) throws(StoreError) -> StoreFileHandle? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let error = errno
      if error == ENOENT { return nil }
      throw StoreFile.failure(path, "open", error)
    }
    return StoreFileHandle(path, descriptor)
  }

  /// Opens a database file, or makes it, and locks it: nobody else has it open, by any name.
  ///
  /// flock(2) and the POSIX locks of SQLite know nothing of each other.
  static func openStore(_ path: String) throws(StoreError) -> StoreFileHandle {
    let handle = try openStores.withLock { stores throws(StoreError) in
      // Looked up before it is opened: to close a second descriptor would unlock the first.
      if let known = identity(path), stores.contains(known) { throw .inUse(path: path) }
      let descriptor = try openDescriptor(path)
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else {
        let error = errno
        _ = Glibc.close(descriptor)
        throw StoreFile.failure(path, "fstat", error)
      }
      let identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
      stores.insert(identity)
      return StoreFileHandle(path, descriptor, claim: identity)
    }
    guard try handle.lock() else { throw .inUse(path: path) }
    try handle.requireOneName()
    guard fchmod(handle.descriptor, 0o600) == 0 else {
      throw StoreFile.failure(path, "fchmod", errno)
    }
    return handle
  }

  /// Locks the file for as long as the handle lives; false when somebody else has it.
  ///
  /// The kernel drops the lock when the process dies.
  func lock() throws(StoreError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let error = errno
      if error == EINTR { continue }
      if error == EWOULDBLOCK { return false }
      throw StoreFile.failure(path, "flock", error)
    }
    return true
  }

  /// SQLite keeps the log beside the name by which the file was opened, so a second name is a second
  /// log (sqlite.org/howtocorrupt.html, section 2.4).
  private func requireOneName() throws(StoreError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw StoreFile.failure(path, "fstat", errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .cannotOpen(path: path, detail: "not a regular file")
    }
    guard status.st_nlink <= 1 else {
      throw .cannotOpen(
        path: path,
        detail: "the file has \(status.st_nlink) names (hard links), and changes may be in a log "
          + "beside another one; keep only the name under which the service last ran"
      )
    }
  }

  /// How long the file is.
  var byteCount: Int {
    get throws(StoreError) {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else {
        throw StoreFile.failure(path, "fstat", errno)
      }
      return Int(status.st_size)
    }
  }

  /// Fills `words` from a place in the file; the number of bytes that were there.
  func read<Word: BitwiseCopyable>(
    into words: inout [Word],
    at offset: Int
  ) throws(StoreError) -> Int {
    let result = unsafe words.withUnsafeMutableBytes { buffer -> Result<Int, StoreError> in
      var filled = 0
      while filled < buffer.count {
        let count = unsafe pread(
          descriptor,
          buffer.baseAddress?.advanced(by: filled),
          buffer.count - filled,
          off_t(offset + filled)
        )
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return .failure(StoreFile.failure(path, "pread", errno)) }
        guard count > 0 else { break }
        filled += count
      }
      return .success(filled)
    }
    return try result.get()
  }

  /// Writes all of `bytes` at a place in the file.
  func write(_ bytes: [UInt8], at offset: Int) throws(StoreError) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes[written...].withUnsafeBytes { buffer in
        unsafe pwrite(descriptor, buffer.baseAddress, buffer.count, off_t(offset + written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StoreFile.failure(path, "pwrite", errno) }
      written += count
    }
  }

  /// Has the disk confirm what was written.
  ///
  /// Not repeated when it fails: the kernel may have dropped what it could not write (fsync(2)).
  func synchronize() throws(StoreError) {
    guard fsync(descriptor) == 0 else { throw StoreFile.failure(path, "fsync", errno) }
  }

  /// Empties the file.
  func empty() throws(StoreError) {
    guard ftruncate(descriptor, 0) == 0 else { throw StoreFile.failure(path, "ftruncate", errno) }
  }

  private static func openDescriptor(_ path: String) throws(StoreError) -> Int32 {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFile.failure(path, "open", errno) }
    return descriptor
  }

  private static func identity(_ path: String) -> Identity? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }
}
