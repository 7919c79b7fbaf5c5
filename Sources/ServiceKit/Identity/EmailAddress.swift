/// An address of an account, as it was given and as it is looked up.
public struct EmailAddress: Hashable, Sendable {
  /// As the user wrote it, for mails.
  public let text: String
  /// What it is compared by: ASCII letters in lower case, everything else as it is.
  ///
  /// The part before the @ may differ in case by the letter of RFC 5321, section 2.4; no provider
  /// does that, and two accounts that look alike help only an impostor.
  public let key: String

  /// Takes an address as it came.
  public init(_ text: String) {
    self.text = text
    let bytes = text.utf8.map { byte in
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
    key = String(decoding: bytes, as: UTF8.self)
  }

  /// The place of an address in an account that has none: no mail goes there, and no text that anybody gives
  /// is compared to be the same, because those have no capital letters.
  public init(missingOf userID: String) {
    text = ""
    key = "NONE \(userID)"
  }

  /// Whether mail can be sent there, and nothing but an address can be hidden in it.
  ///
  /// Bytes and parts as RFC 5321, section 4.5.3.1, bounds them. Quoted local parts, comments, groups and
  /// routes are refused, although RFC 5322 has them: nobody uses them, and programs on the way read them
  /// differently. So is a hyphen at the start, which a command would take for an option. Letters beyond
  /// ASCII are accepted; whether they can be delivered is for the servers on the way (RFC 6531).
  public var isMailable: Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, text.utf8.count <= 254, (1...64).contains(parts[0].utf8.count),
      !parts[1].isEmpty, !text.hasPrefix("-"), !parts[1].hasPrefix("-")
    else { return false }
    let isSafe = text.unicodeScalars.allSatisfy(Self.isSafe)
    return isSafe && !parts[1].split(separator: ".", omittingEmptySubsequences: false).contains("")
  }

  private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "(", ")", "<", ">", "[", "]", ":", ";", ",", "\\", "\"": return false
    // Almost all addresses are plain ASCII: no look at Unicode's tables for them.
    case "!"..."~": return true
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
      .paragraphSeparator:
      return false
    default: return true
    }
  }
}
