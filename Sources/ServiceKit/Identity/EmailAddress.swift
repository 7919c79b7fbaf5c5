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
}
