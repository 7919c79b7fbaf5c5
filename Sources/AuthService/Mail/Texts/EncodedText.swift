/// Text as it travels in a mail, which is made of short lines of ASCII.
enum EncodedText {
  /// Letters of an encoded word, its frame included: 75 by RFC 2047, section 2, less those of the longest
  /// header's name, because the line must not be longer either.
  private static let wordByteCountMax = 64
  /// Letters of a line of quoted-printable text (RFC 2045, section 6.7).
  private static let lineByteCountMax = 76

  /// A header's value: as it is if it is short and plain, else as encoded words, folded (RFC 2047).
  ///
  /// Never holds a control character, whatever `text` has: those are encoded like everything that is not
  /// plain.
  static func header(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    if isPlain, text.utf8.count <= 60, !text.contains("=?"), !text.hasPrefix(" "),
      !text.hasSuffix(" ")
    {
      return text
    }
    return words(text)
  }

  /// A name before an address: an atom or encoded words, so that no quotes are needed.
  static func phrase(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { isLetter($0) || $0 == UInt8(ascii: " ") }
    return isPlain && text.utf8.count <= 60 && text == text.trimmedOfBlanks ? text : words(text)
  }

  private static func words(_ text: String) -> String {
    let (start, end) = ("=?utf-8?q?", "?=")
    let room = wordByteCountMax - start.utf8.count - end.utf8.count
    var words: [String] = []
    var word = ""
    for scalar in text.unicodeScalars {
      // A character must not be divided between two words.
      let encoded = String(scalar).utf8.map { byte in
        isLetter(byte) ? String(UnicodeScalar(byte)) : byte == 0x20 ? "_" : escaped(byte)
      }.joined()
      if word.utf8.count + encoded.utf8.count > room {
        words.append(word)
        word = ""
      }
      word += encoded
    }
    words.append(word)
    return words.map { "\(start)\($0)\(end)" }.joined(separator: "\r\n ")
  }

  /// A text of lines that end with a line feed as quoted-printable with CRLF.
  ///
  /// A leading full stop and a leading `From ` are encoded too: some programs on the way change them.
  static func quotedPrintable(_ text: String) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count * 9 / 8)
    for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      appendQuotedPrintable(line: line.filter { $0 != UInt8(ascii: "\r") }, to: &output)
      output += "\r\n".utf8
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func appendQuotedPrintable(line: [UInt8], to output: inout [UInt8]) {
    let startsLikeAnother = line.starts(with: "From ".utf8) || line.first == UInt8(ascii: ".")
    var count = 0
    for (place, byte) in line.enumerated() {
      let isBlank = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
      let isLiteral =
        isBlank
        ? place + 1 < line.count
        : (33...126).contains(byte) && byte != UInt8(ascii: "=")
          && !(place == 0 && startsLikeAnother)
      let byteCount = isLiteral ? 1 : 3
      // One letter of the line is for the sign that it goes on.
      if count + byteCount > lineByteCountMax - 1 {
        // A blank must not come before the end of a line, nor is it there: the sign is.
        output += "=\r\n".utf8
        count = 0
      }
      if isLiteral { output.append(byte) } else { output += escaped(byte).utf8 }
      count += byteCount
    }
  }

  private static func escaped(_ byte: UInt8) -> String {
    let digits = Array("0123456789ABCDEF")
    return "=\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

extension String {
  /// Without blanks at either end.
  fileprivate var trimmedOfBlanks: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
