internal import CLinux
internal import Glibc

/// A file that cannot be read or written.
package struct FileError: Error, Equatable, CustomStringConvertible {
  /// Path and reason, for people.
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Whole small files, and what is in a folder.
package enum FileBytes {
  /// Reads a file of at most `byteCountMax` bytes.
  package static func read(_ path: String, byteCountMax: Int) throws(FileError) -> [UInt8] {
    let file = try FilePieces(path)
    var bytes: [UInt8] = []
    while let piece = try file.next() {
      bytes += piece
      guard bytes.count <= byteCountMax else {
        throw FileError("\(path) is larger than \(byteCountMax) bytes")
      }
    }
    return bytes
  }

  /// Names of what is in a folder, in the order of their bytes; nil when the path is that of a file.
  ///
  /// Throws for a folder of more than `countMax` names.
  package static func names(
    inFolder path: String,
    countMax: Int
  ) throws(FileError) -> [String]? {
    guard let folder = unsafe opendir(path) else {
      guard errno == ENOTDIR else { throw failure(path) }
      return nil
    }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe try nextEntry(of: folder, path) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      }
      guard name != ".", name != ".." else { continue }
      guard names.count < countMax else {
        throw FileError("\(path) has more than \(countMax) entries")
      }
      names.append(name)
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// How much is in a folder, counted up to `countMax` and without reading the names.
  package static func entryCount(
    inFolder path: String,
    countMax: Int
  ) throws(FileError) -> Int {
    guard let folder = unsafe opendir(path) else { throw failure(path) }
    defer { unsafe closedir(folder) }
    // The folder itself and the one that it is in are entries as well.
    let own = 2
    var count = 0
    while count < countMax + own, unsafe try nextEntry(of: folder, path) != nil { count += 1 }
    return max(0, count - own)
  }

  /// The next entry of an open folder; nil at its end.
  private static func nextEntry(
    of folder: OpaquePointer,
    _ path: String
  ) throws(FileError) -> UnsafeMutablePointer<dirent>? {
    // Only errno tells the end from a failure.
    errno = 0
    guard let entry = unsafe readdir(folder) else {
      guard errno == 0 else { throw failure(path) }
      return nil
    }
    return unsafe entry
  }

  /// Whether there is anything at a path.
  package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// Replaces a file; `mode` is its mode when it is new, before the process's mask.
  package static func write(
    _ text: String,
    to path: String,
    mode: UInt32 = 0o666
  ) throws(FileError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw failure(path) }
    let isWritten = writeAll(text, to: descriptor)
    guard close(descriptor) == 0, isWritten else { throw failure(path) }
  }

  /// Writes a file that must not exist yet, readable by its owner alone: for secrets.
  ///
  /// It is on the disk when this returns, unless that is left to `synchronizeFileSystem`.
  package static func createSecret(
    _ text: String,
    at path: String,
    isSynchronized: Bool = true
  ) throws(FileError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    let isWritten = writeAll(text, to: descriptor) && (!isSynchronized || fsync(descriptor) == 0)
    guard close(descriptor) == 0, isWritten else { throw failure(path) }
  }

  /// Puts everything that was written to the file system of a directory on the disk (syncfs(2)).
  ///
  /// For many files that costs what a single fsync(2) does; for few, what others have written may take
  /// longer.
  package static func synchronizeFileSystem(of path: String) throws(FileError) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    let result = syncfs(descriptor)
    let code = errno
    close(descriptor)
    guard result == 0 else { throw FileError("\(path): \(Syscall.message(for: code))") }
  }

  /// Makes a directory, readable by its owner alone; one that exists is not an error.
  package static func createDirectory(_ path: String) throws(FileError) {
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path) }
  }

  /// Writes to an open descriptor; false when it fails.
  @discardableResult
  package static func writeAll(_ text: String, to descriptor: Int32) -> Bool {
    (try? write(text, to: descriptor)) != nil
  }

  /// Why a text could not be written to an open descriptor.
  package enum WriteFailure: Error {
    /// The other end of the pipe is closed (EPIPE).
    case closed
    /// Anything else, for people: `no space left on device`.
    case failed(String)
  }

  /// Writes all of a text to an open descriptor.
  package static func write(_ text: String, to descriptor: Int32) throws(WriteFailure) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      let code = errno
      if count < 0, code == EINTR { continue }
      guard count > 0 else { throw code == EPIPE ? .closed : .failed(Syscall.message(for: code)) }
      rest = rest.dropFirst(count)
    }
  }

  fileprivate static func failure(_ path: String) -> FileError {
    FileError("\(path): \(unsafe String(cString: strerror(errno)))")
  }
}

/// A file of any length, or standard input for `/dev/stdin`, that is read piece by piece, when its reader has
/// done something with the one before.
package final class FilePieces {
  private let path: String
  private let descriptor: Int32
  private var piece = [UInt8](repeating: 0, count: 64 << 10)

  /// Opens the file.
  package init(_ path: String) throws(FileError) {
    self.path = path
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileBytes.failure(path) }
  }

  deinit { close(descriptor) }

  /// The next piece; nil at the end.
  package func next() throws(FileError) -> ArraySlice<UInt8>? {
    while true {
      let count = unsafe read(descriptor, &piece, piece.count)
      if count > 0 { return piece[..<count] }
      if count == 0 { return nil }
      guard errno == EINTR else { throw FileBytes.failure(path) }
    }
  }
}
