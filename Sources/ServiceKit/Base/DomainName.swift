internal import CIDN2

/// Names of domains behind the @ of an address.
enum DomainName {
  /// Bytes of a name as DNS has it (RFC 1035, section 2.3.4).
  private static let byteCountMax = 253
  private static let labelByteCountMax = 63

  /// The name in ASCII and lower case, as DNS has it; nil for what is no name of a domain.
  ///
  /// Labels beyond ASCII become A-labels, and A-labels must be what their letters would become (IDNA 2008,
  /// RFC 5890, with the mapping of UTS #46 that browsers do: case, width, composition). So both spellings of a
  /// domain are one. An address of a host (`1.2.3.4`) is no domain.
  static func ascii(_ text: Substring) -> String? {
    guard let name = isInternational(text) ? lookup(String(text)) : lowercased(text) else {
      return nil
    }
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard name.utf8.count <= byteCountMax, labels.allSatisfy(isLabel),
      let last = labels.last, !last.allSatisfy(isDigit)
    else { return nil }
    return name
  }

  /// Whether it takes the tables of IDNA: almost no name does.
  private static func isInternational(_ text: Substring) -> Bool {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return true }
    // Bytes and not characters, whose comparison takes ten times as long.
    let bytes = Array(lowercased(text).utf8)
    return bytes.indices.contains { bytes[$0...].starts(with: "xn--".utf8) }
  }

  private static func lowercased(_ text: Substring) -> String {
    EmailAddress.lowercasedASCII(text)
  }

  /// Letters, digits and hyphens, which are at neither end (RFC 5890, section 2.3.1).
  private static func isLabel(_ label: Substring.UTF8View.SubSequence) -> Bool {
    (1...labelByteCountMax).contains(label.count) && label.first != UInt8(ascii: "-")
      && label.last != UInt8(ascii: "-") && label.allSatisfy(isNameByte)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// The name for a resolver; nil for a text that may be no name.
  ///
  /// The library looks at characters beyond ASCII alone, and lets others through: `isLabel` sees those. Its
  /// flag for them is not used, because version 2.3.3 drops what it does not allow.
  private static func lookup(_ text: String) -> String? {
    // It takes a C string, which would end early.
    guard !text.utf8.contains(0), text.utf8.count <= 4 * byteCountMax else { return nil }
    var name: UnsafeMutablePointer<UInt8>?
    let flags = CInt(CIDN2_lookup_flags)
    guard unsafe idn2_lookup_u8(Array(text.utf8) + [0], &name, flags) == IDN2_OK.rawValue,
      let name = unsafe name
    else { return nil }
    defer { unsafe idn2_free(name) }
    return unsafe String(cString: name)
  }
}
