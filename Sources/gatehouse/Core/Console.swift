internal import RPCKit

/// The input and output of a command, so that a test can stand in for the terminal.
struct Console: Sendable {
  /// Writes results.
  var write: @Sendable (String) throws(FileBytes.WriteFailure) -> Void
  /// Writes what people should know beside the results.
  var writeError: @Sendable (String) -> Void
  /// Reads everything that is piped in.
  var readInput: @Sendable () throws -> [UInt8]
  /// Asks for a secret without showing it.
  var askSecret: @Sendable (_ secret: Secret, _ prompt: String) throws -> String
  /// How results are set off.
  var outputStyle = TextStyle(isOn: false)
  /// How errors are set off.
  var errorStyle = TextStyle(isOn: false)

  /// Largest request that is read from a pipe, in bytes.
  static let inputByteCountMax = 16 << 20

  /// Writes one line of results.
  func line(_ text: String) throws { try self.text(text + "\n") }

  /// Writes results as they are.
  func text(_ text: String) throws {
    do throws(FileBytes.WriteFailure) {
      try write(text)
    } catch {
      switch error {
      case .closed: throw OutputClosed()
      case .failed(let reason): throw FileError("standard output cannot be written: \(reason)")
      }
    }
  }

  /// Writes why the command fails, in one line.
  func fail(_ reason: String) {
    writeError("\(errorStyle.alarming("gatehouse:")) \(FailureText.printable(reason))\n")
  }

  /// Writes a line for people beside the results.
  func note(_ text: String) {
    writeError("gatehouse: \(FailureText.printable(text))\n")
  }
}

/// The results have no reader: `gatehouse watch … | head` is not a failure worth a message.
struct OutputClosed: Error {}
