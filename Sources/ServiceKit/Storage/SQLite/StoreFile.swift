internal import Glibc
internal import RPCKit

/// What the store asks of the file system beside SQLite: private files, a lock, and fsync(2).
@safe
enum StoreFile {
  /// Held for as long as this value lives; the kernel drops it when the process dies.
  final class Lock: Sendable {
    private let descriptor: Int32

    fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = Glibc.close(descriptor) }
  }

  /// Makes this the only opener of a store: flock(2) on `PATH.lock`.
  ///
  /// The lock file stays: to remove it would let a third process lock a new file of that name while
  /// the second still waits for the old one.
  static func lock(_ path: String) throws(StoreError) -> Lock {
    let lockPath = path + ".lock"
    let descriptor = try openPrivately(lockPath)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let error = errno
      if error == EINTR { continue }
      _ = Glibc.close(descriptor)
      if error == EWOULDBLOCK { throw .inUse(path: path) }
      throw failure(path: lockPath, "flock", error)
    }
    return Lock(descriptor)
  }

  /// Makes the file if it is missing, and readable by its owner only in any case.
  ///
  /// SQLite gives the log and the shared memory the mode of the database file.
  static func makePrivate(_ path: String) throws(StoreError) {
    _ = Glibc.close(try openPrivately(path))
  }

  /// Has the disk confirm what was written to a file.
  static func synchronize(_ path: String) throws(StoreError) {
    try synchronize(path, flags: O_RDONLY)
  }

  /// Has the disk confirm the names in the folder of a file.
  static func synchronizeFolder(of path: String) throws(StoreError) {
    try synchronize(folder(of: path), flags: O_RDONLY | O_DIRECTORY)
  }

  /// Gives a file another name, replacing what has it.
  static func rename(_ path: String, to newPath: String) throws(StoreError) {
    guard unsafe Glibc.rename(path, newPath) == 0 else {
      throw failure(path: newPath, "rename", errno)
    }
  }

  /// Removes a file; one that is not there is fine.
  static func remove(_ path: String) {
    _ = unsafe Glibc.unlink(path)
  }

  /// Bytes in a file, or nil where there is none.
  static func byteCount(_ path: String) -> Int? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func openPrivately(_ path: String) throws(StoreError) -> Int32 {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path: path, "open", errno) }
    guard fchmod(descriptor, 0o600) == 0 else {
      let error = errno
      _ = Glibc.close(descriptor)
      throw failure(path: path, "fchmod", error)
    }
    return descriptor
  }

  private static func synchronize(_ path: String, flags: Int32) throws(StoreError) {
    let descriptor = unsafe open(path, flags | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path: path, "open", errno) }
    defer { _ = Glibc.close(descriptor) }
    // Not repeated when it fails: the kernel may have dropped what it could not write (fsync(2)).
    guard fsync(descriptor) == 0 else { throw failure(path: path, "fsync", errno) }
  }

  private static func failure(path: String, _ call: String, _ error: Int32) -> StoreError {
    .cannotOpen(path: path, detail: SyscallError(call, error).description)
  }
}
