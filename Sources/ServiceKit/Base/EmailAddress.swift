/// An address of an account, as it was given and as it is looked up.
public struct EmailAddress: Hashable, Sendable {
  /// As the user wrote it, for mails.
  public let text: String
  /// The key it is compared by, everywhere: one mailbox has one.
  ///
  /// The part before the @ with characters composed and ASCII letters in lower case, then the domain as DNS has
  /// it. The former may differ in case by the letter of RFC 5321, section 2.4; no provider does that, and two
  /// accounts that look alike help only an impostor. What is no address is compared by its text, with ASCII
  /// letters in lower case.
  public let key: String
  /// Whether what follows the @ is the name of a domain.
  private let hasDomain: Bool

  /// Takes an address as it came.
  public init(_ text: String) {
    self.text = text
    let parts = Self.parts(text)
    let domain = parts.count == 2 ? DomainName.ascii(parts[1]) : nil
    hasDomain = domain != nil
    key =
      domain.map { "\(Self.lowercasedASCII(parts[0].composed))@\($0)" } ?? Self.formerKey(of: text)
  }

  /// The place of an address in an account that has none: no mail goes there, and no text that anybody gives
  /// is compared to be the same, because those have no capital letters.
  public init(missingOf userID: String) {
    text = ""
    key = "NONE \(userID)"
    hasDomain = false
  }

  /// The key it was compared by before domains had one spelling: its text with ASCII letters in lower case.
  package var formerKey: String { hasDomain ? Self.formerKey(of: text) : key }

  private static func formerKey(of text: String) -> String { lowercasedASCII(text) }

  private static func parts(_ text: String) -> [Substring] {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
      return text.split(separator: "@", maxSplits: 2, omittingEmptySubsequences: false)
    }
    // The same, in a tenth of the time.
    return text.utf8.split(
      separator: UInt8(ascii: "@"),
      maxSplits: 2,
      omittingEmptySubsequences: false
    ).map(Substring.init)
  }

  /// A text with its ASCII letters in lower case, and everything else as it is.
  static func lowercasedASCII(_ text: some StringProtocol) -> String {
    let bytes = text.utf8.map { byte in
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether mail can be sent there, and nothing but an address can be hidden in it.
  ///
  /// A mailbox as RFC 6531, section 3.3, has it, with bytes and parts as RFC 5321, section 4.5.3.1, bounds them.
  /// Quoted local parts, comments, groups, routes and addresses of hosts are refused, although RFC 5322 has
  /// them: nobody uses them, and programs on the way read them differently. So is a hyphen at the start, which a
  /// command would take for an option. Letters beyond ASCII are accepted before the @, where the servers on the
  /// way must know SMTPUTF8, and behind it, where IDNA has a name for them.
  public var isMailable: Bool {
    guard hasDomain, let local = Self.parts(text).first,
      text.utf8.count <= Self.byteCountMax, key.utf8.count <= Self.byteCountMax,
      (1...64).contains(local.utf8.count), !text.hasPrefix("-")
    else { return false }
    return text.unicodeScalars.allSatisfy(Self.isSafe)
  }

  private static let byteCountMax = 254

  /// The form for mail servers: the domain as DNS has it where it is written otherwise, so that only
  /// letters beyond ASCII before the @ need servers that know SMTPUTF8 (RFC 6531, section 3.2).
  public var deliverable: String {
    let parts = Self.parts(text)
    guard hasDomain, parts.count == 2, !parts[1].utf8.allSatisfy({ $0 < 0x80 }),
      let domain = DomainName.ascii(parts[1])
    else { return text }
    return "\(parts[0])@\(domain)"
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
