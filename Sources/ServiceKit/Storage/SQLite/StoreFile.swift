internal import Glibc
internal import RPCKit

/// The store's use of the file system beside SQLite: private files, names, and fsync(2).
@safe
enum StoreFile {
  /// The one path of a store, however it was named: without symbolic links, `.` and `..`.
  ///
  /// SQLite follows symbolic links too (sqlite.org/howtocorrupt.html, section 2.5), so this is where its
  /// log lies. Of a file that is not there, the folder is resolved; a link to such a file is an error.
  static func canonical(_ path: String) throws(StoreError) -> String {
    if let resolved = resolved(path) { return resolved }
    let error = errno
    var status = stat()
    guard error == ENOENT, unsafe lstat(path, &status) != 0 else {
      throw failure(path, "realpath", error)
    }
    guard let folder = resolved(folder(of: path)) else {
      throw failure(folder(of: path), "realpath", errno)
    }
    let name = path.split(separator: "/").last ?? ""
    return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

  /// Makes the file if it is missing, and readable by its owner only in any case.
  ///
  /// SQLite gives the log and the shared memory the mode of the database file.
  static func makePrivate(_ path: String) throws(StoreError) {
    _ = try StoreFileHandle.openPrivately(path)
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
      throw failure(newPath, "rename", errno)
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

  private static func resolved(_ path: String) -> String? {
    guard let text = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }

  private static func synchronize(_ path: String, flags: Int32) throws(StoreError) {
    let descriptor = unsafe open(path, flags | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, "open", errno) }
    defer { _ = Glibc.close(descriptor) }
    // Not repeated when it fails: the kernel may have dropped what it could not write (fsync(2)).
    guard fsync(descriptor) == 0 else { throw failure(path, "fsync", errno) }
  }

  /// The store's error for a failed system call.
  static func failure(_ path: String, _ call: String, _ error: Int32) -> StoreError {
    .cannotOpen(path: path, detail: SyscallError(call, error).description)
  }
}
