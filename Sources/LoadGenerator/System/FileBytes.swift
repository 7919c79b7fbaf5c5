internal import Glibc

/// Whole small files.
package enum FileBytes {
  /// Reads a file of at most `byteCountMax` bytes.
  package static func read(_ path: String, byteCountMax: Int) throws(UsageError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      guard count >= 0 else { throw failure(path) }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= byteCountMax else {
        throw UsageError("\(path) is larger than \(byteCountMax) bytes")
      }
    }
  }

  /// Replaces a file.
  package static func write(_ text: String, to path: String) throws(UsageError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure(path) }
    let isWritten = writeAll(text, to: descriptor)
    guard close(descriptor) == 0, isWritten else { throw failure(path) }
  }

  /// Writes to an open descriptor; false when it fails.
  @discardableResult
  package static func writeAll(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func failure(_ path: String) -> UsageError {
    UsageError("\(path): \(unsafe String(cString: strerror(errno)))")
  }
}
