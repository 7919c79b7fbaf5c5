/// A system call that failed: its name and errno.
public struct SyscallError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call, as in its manual page.
  public var call: String
  /// The error number.
  public var errno: Int32

  /// Makes an error.
  public init(_ call: String, _ errno: Int32) {
    self.call = call
    self.errno = errno
  }

  /// `bind: address already in use (98)`.
  public var description: String { "\(call): \(Syscall.message(for: errno)) (\(errno))" }
}
