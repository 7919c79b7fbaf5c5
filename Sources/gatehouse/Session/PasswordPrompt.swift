internal import CommandLineTool
internal import Glibc
internal import RPCKit

/// Asks for a secret at the terminal without showing it (termios(3)).
enum PasswordPrompt {
  /// Longest secret that is read, in bytes; a password has no more.
  private static let byteCountMax = 1024

  /// Reads a line from the terminal itself, so that standard input may be something else.
  static func ask(_ secret: Secret, _ prompt: String) throws -> String {
    let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else { throw secret.withoutTerminal }
    defer { close(terminal) }
    var before = termios()
    guard unsafe tcgetattr(terminal, &before) == 0 else {
      throw secret.withoutHiding
    }
    // Control-C is read as a character: as a signal it would end the program and leave the shell
    // with a terminal that shows nothing.
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    guard unsafe tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else {
      throw secret.withoutHiding
    }
    defer {
      _ = unsafe tcsetattr(terminal, TCSAFLUSH, &before)
      FileBytes.writeAll("\n", to: terminal)
    }
    FileBytes.writeAll(prompt, to: terminal)
    return try line(from: terminal, secret)
  }

  private static func line(from terminal: Int32, _ secret: Secret) throws -> String {
    var bytes: [UInt8] = []
    while bytes.count <= byteCountMax {
      var byte: UInt8 = 0
      let count = unsafe read(terminal, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { throw UsageError("no \(secret.noun) given") }
      switch byte {
      case 0x0A, 0x0D:
        guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
          throw UsageError("no \(secret.noun) given")
        }
        return text
      case 0x03, 0x04: throw UsageError("no \(secret.noun) given")
      case 0x08, 0x7F: removeCharacter(&bytes)
      case 0x15: bytes = []
      default: bytes.append(byte)
      }
    }
    throw UsageError("a \(secret.noun) has at most \(byteCountMax) bytes")
  }

  /// Takes back one character of UTF-8: its last byte and the continuation bytes before.
  private static func removeCharacter(_ bytes: inout [UInt8]) {
    while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
  }
}
