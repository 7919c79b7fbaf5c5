internal import Glibc
internal import RPCKit

/// Asks for a password at the terminal without showing it (termios(3)).
enum PasswordPrompt {
  /// Longest password that is read, in bytes; AuthService takes 256.
  private static let byteCountMax = 1024

  /// Reads a line from the terminal itself, so that standard input may be something else.
  static func ask(_ prompt: String) throws -> String {
    let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else {
      throw UsageError(
        "no terminal to ask for the password; set GATEHOUSE_PASSWORD, GATEHOUSE_PIN or GATEHOUSE_CODE instead"
      )
    }
    defer { close(terminal) }
    var before = termios()
    guard unsafe tcgetattr(terminal, &before) == 0 else {
      throw UsageError(
        "the terminal cannot hide the password; set GATEHOUSE_PASSWORD, GATEHOUSE_PIN or GATEHOUSE_CODE instead"
      )
    }
    // Control-C is read as a character: as a signal it would end the program and leave the shell
    // with a terminal that shows nothing.
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    guard unsafe tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else {
      throw UsageError(
        "the terminal cannot hide the password; set GATEHOUSE_PASSWORD, GATEHOUSE_PIN or GATEHOUSE_CODE instead"
      )
    }
    defer {
      _ = unsafe tcsetattr(terminal, TCSAFLUSH, &before)
      FileBytes.writeAll("\n", to: terminal)
    }
    FileBytes.writeAll(prompt, to: terminal)
    return try line(from: terminal)
  }

  private static func line(from terminal: Int32) throws -> String {
    var bytes: [UInt8] = []
    while bytes.count <= byteCountMax {
      var byte: UInt8 = 0
      let count = unsafe read(terminal, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { throw UsageError("no password given") }
      switch byte {
      case 0x0A, 0x0D:
        guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
          throw UsageError("no password given")
        }
        return text
      case 0x03, 0x04: throw UsageError("no password given")
      case 0x08, 0x7F: removeCharacter(&bytes)
      case 0x15: bytes = []
      default: bytes.append(byte)
      }
    }
    throw UsageError("a password has at most \(byteCountMax) bytes")
  }

  /// Takes back one character of UTF-8: its last byte and the continuation bytes before.
  private static func removeCharacter(_ bytes: inout [UInt8]) {
    while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
  }
}
