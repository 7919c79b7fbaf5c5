/// An address that cannot be listened at, and why.
public struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The address.
  public var address: SocketAddress
  /// The system call that failed.
  public var cause: SyscallError

  /// Makes an error.
  public init(_ address: SocketAddress, _ cause: SyscallError) {
    self.address = address
    self.cause = cause
  }

  /// `127.0.0.1:7402: bind: address already in use (98)`.
  public var description: String { "\(address): \(cause)" }
}
