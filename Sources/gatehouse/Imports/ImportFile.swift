internal import Glibc
internal import RPCKit

/// A file that is read piece by piece, when its reader has done something with the one before.
final class ImportFile {
  private static let pieceByteCount = 64 << 10

  private let path: String
  private let descriptor: Int32
  private var piece = [UInt8](repeating: 0, count: ImportFile.pieceByteCount)

  /// Opens the file.
  init(_ path: String) throws(FileError) {
    self.path = path
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  deinit { close(descriptor) }

  /// The next piece; nil at the end.
  func next() throws(FileError) -> ArraySlice<UInt8>? {
    while true {
      let count = unsafe read(descriptor, &piece, Self.pieceByteCount)
      if count > 0 { return piece[..<count] }
      if count == 0 { return nil }
      guard errno == EINTR else { throw Self.failure(path) }
    }
  }

  private static func failure(_ path: String) -> FileError {
    FileError("\(path): \(unsafe String(cString: strerror(errno)))")
  }
}
