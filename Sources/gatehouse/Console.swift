internal import Glibc
internal import RPCKit

/// What a command reads from and writes to, so that a test can stand in for the terminal.
struct Console: Sendable {
  /// Writes results; false when nobody reads them any more.
  var write: @Sendable (String) -> Bool
  /// Writes what people should know beside the results.
  var writeError: @Sendable (String) -> Void
  /// Reads everything that is piped in.
  var readInput: @Sendable () throws -> [UInt8]
  /// Asks for a secret without showing it.
  var askSecret: @Sendable (_ prompt: String) throws -> String

  /// Largest request that is read from a pipe, in bytes.
  static let inputByteCountMax = 16 << 20

  /// The terminal, or wherever the shell has pointed its streams.
  static let terminal = Console(
    write: { FileBytes.writeAll($0, to: STDOUT_FILENO) },
    writeError: { FileBytes.writeAll($0, to: STDERR_FILENO) },
    readInput: { try FileBytes.read("/dev/stdin", byteCountMax: inputByteCountMax) },
    askSecret: { try PasswordPrompt.ask($0) }
  )

  /// Writes one line of results.
  func line(_ text: String) throws(OutputClosed) {
    guard write(text + "\n") else { throw OutputClosed() }
  }
}

/// Nobody reads the results any more: `gatehouse watch … | head` is not a failure worth a message.
struct OutputClosed: Error {}
