internal import Glibc
internal import RPCKit
internal import ServiceKit

/// A file that gets its name once it is whole, readable by its owner alone.
///
/// Until then it has the same name with a random part and `.part` behind it.
struct WholeFile: Sendable {
  private let path: String
  private let temporary: String
  private let descriptor: Int32

  /// Creates the file under its temporary name.
  private init(_ path: String) throws(FileError) {
    self.path = path
    temporary = "\(path).\(Base64URL.encode(SystemRandomSource().bytes(6))).part"
    descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  /// Creates the file at `path`, which gets its name when `body` has written all of it.
  ///
  /// Not inlined: the optimizer of Swift 6.3 crashes on what that makes of `gatehouse report`.
  @inline(never)
  static func write<Result>(
    _ path: String,
    _ body: (WholeFile) async throws -> Result
  ) async throws -> Result {
    let file = try WholeFile(path)
    let result: Result
    do {
      result = try await body(file)
    } catch {
      close(file.descriptor)
      _ = unsafe unlink(file.temporary)
      throw error
    }
    try file.commit()
    return result
  }

  /// Adds text at its end.
  func write(_ text: String) throws {
    do throws(FileBytes.WriteFailure) {
      try FileBytes.write(text, to: descriptor)
    } catch {
      if case .failed(let reason) = error { throw FileError("\(path): \(reason)") }
      throw FileError("\(path) cannot be written")
    }
  }

  /// Gives it its name (rename(2)), in the place of another file of that name.
  private func commit() throws(FileError) {
    let isSaved = fsync(descriptor) == 0
    let isClosed = close(descriptor) == 0
    guard isSaved, isClosed, unsafe rename(temporary, path) == 0 else {
      let error = Self.failure(path)
      _ = unsafe unlink(temporary)
      throw error
    }
  }

  private static func failure(_ path: String) -> FileError {
    FileError("\(path): \(unsafe String(cString: strerror(errno)))")
  }
}
