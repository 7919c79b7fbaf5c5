internal import Glibc
internal import RPCKit
internal import ServiceKit

/// Small files that only their owner may read.
enum SecretFile {
  /// Whether something is at `path`, a dangling link included.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// Replaces the file in one step (rename(2)): a reader sees the old text or the new one, and a
  /// crash leaves one of them.
  static func replace(_ path: String, with text: String) throws(FileError) {
    let suffix = SystemRandomSource().bytes(8).map { String($0, radix: 16) }.joined()
    let temporary = "\(path).\(suffix)"
    do {
      try FileBytes.createSecret(text, at: temporary)
    } catch {
      // A full disk leaves a part of it.
      _ = unsafe unlink(temporary)
      throw FileError(path + error.description.dropFirst(temporary.count))
    }
    guard unsafe rename(temporary, path) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      _ = unsafe unlink(temporary)
      throw FileError("\(path): \(reason)")
    }
  }

  /// Removes the file; one that is not there is not an error.
  static func remove(_ path: String) throws(FileError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else {
      throw FileError("\(path): \(unsafe String(cString: strerror(errno)))")
    }
  }
}
