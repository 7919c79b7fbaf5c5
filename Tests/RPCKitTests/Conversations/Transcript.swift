import RPCKitTesting

/// A conversation as text: who sends which bytes, what each frame means, and what comes of it.
///
/// ```text
/// plays: client
///
/// # Notes stand where they are put.
/// > 00000008 00000001 01 00 | 0a03612e42120143
///     # request 1: a.B/C
/// < 00000000 00000001 02 00
///     # response 1: OK
/// ! something happens at the end under test
/// = what came of it
/// ```
///
/// `>` is sent by the client and `<` by the server, in hexadecimal digits; `61x200` is one byte 200
/// times. `plays` names the end that the test plays; the other is ours. Indented comments are made
/// from the bytes.
struct Transcript: Equatable {
  enum Side: String {
    case client
    case server
  }

  enum Line: Equatable {
    /// A comment or an empty line.
    case note(String)
    case frame(Side, Sent)
    /// What the end under test is told to do.
    case action(String)
    /// What it says or does beside sending frames.
    case outcome(String)
  }

  /// What is sent as one: a frame, or bytes that are none.
  enum Sent: Equatable {
    case frame(WireFrame)
    case bytes([UInt8])

    init(_ bytes: [UInt8]) {
      if let frame = WireFrame(bytes[...]), frame.bytes == bytes {
        self = .frame(frame)
      } else {
        self = .bytes(bytes)
      }
    }

    var bytes: [UInt8] {
      switch self {
      case .frame(let frame): frame.bytes
      case .bytes(let bytes): bytes
      }
    }
  }

  struct SyntaxError: Error {
    var line: String
  }

  /// The end that the test plays.
  var played: Side
  var lines: [Line]

  // MARK: - Reading

  init(_ text: String) throws {
    var lines: [Line] = []
    var played: Side?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let rest = String(line.dropFirst(2))
      if line.hasPrefix("plays: ") {
        played = Side(rawValue: String(line.dropFirst(7)))
      } else if line.hasPrefix("> ") {
        lines.append(.frame(.client, Sent(try Self.bytes(rest))))
      } else if line.hasPrefix("< ") {
        lines.append(.frame(.server, Sent(try Self.bytes(rest))))
      } else if line.hasPrefix("! ") {
        lines.append(.action(rest))
      } else if line.hasPrefix("= ") {
        lines.append(.outcome(rest))
      } else if line.isEmpty || line.hasPrefix("#") {
        lines.append(.note(String(line)))
      } else if !line.hasPrefix("    #") {
        throw SyntaxError(line: String(line))
      }
    }
    guard let played else { throw SyntaxError(line: "plays: client or plays: server is missing") }
    if lines.last == .note("") { lines.removeLast() }
    self.played = played
    self.lines = lines
  }

  private static func bytes(_ text: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for word in text.split(separator: " ") where word != "|" {
      let parts = word.split(separator: "x")
      let digits = Array(parts[0])
      guard parts.count <= 2, digits.count % 2 == 0, digits.allSatisfy(\.isHexDigit) else {
        throw SyntaxError(line: text)
      }
      let one = [UInt8](hexadecimal: String(parts[0]))
      let count = parts.count == 2 ? Int(parts[1]) : 1
      guard let count else { throw SyntaxError(line: text) }
      for _ in 0..<count { bytes += one }
    }
    return bytes
  }

  // MARK: - Writing

  /// The whole file.
  var text: String {
    // The side that is played stands after the notes at the top.
    let headCount = lines.prefix { if case .note(let text) = $0 { !text.isEmpty } else { false } }
      .count
    var texts = lines.map(Self.text)
    texts.insert("plays: \(played.rawValue)", at: headCount)
    return texts.joined(separator: "\n") + "\n"
  }

  private static func text(_ line: Line) -> String {
    switch line {
    case .note(let text): text
    case .action(let text): "! " + text
    case .outcome(let text): "= " + text
    case .frame(let side, let sent): (side == .client ? "> " : "< ") + text(sent)
    }
  }

  private static func text(_ sent: Sent) -> String {
    guard case .frame(let frame) = sent else {
      return hexadecimal(sent.bytes) + "\n    # not a whole frame"
    }
    let header = WireFrame.hexadecimal(Array(frame.bytes.prefix(10)))
    let digits = Array(header)
    let groups = [digits[0..<8], digits[8..<16], digits[16..<18], digits[18..<20]]
    var line = groups.map { String($0) }.joined(separator: " ")
    if !frame.payload.isEmpty { line += " | " + hexadecimal(frame.payload) }
    return line + "\n    # " + FrameComment.text(frame)
  }

  /// Hexadecimal digits, with long runs of one byte written short.
  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    var words: [String] = []
    var plain: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let count = bytes[index...].prefix { $0 == bytes[index] }.count
      if count >= 16 {
        if !plain.isEmpty { words.append(WireFrame.hexadecimal(plain)) }
        plain = []
        words.append(WireFrame.hexadecimal([bytes[index]]) + "x\(count)")
      } else {
        plain += bytes[index..<index + count]
      }
      index += count
    }
    if !plain.isEmpty { words.append(WireFrame.hexadecimal(plain)) }
    return words.joined(separator: " ")
  }
}
