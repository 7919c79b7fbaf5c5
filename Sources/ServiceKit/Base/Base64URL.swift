internal import TextEncodings

/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5; RFC 7515, section 2).
public enum Base64URL {
  /// The text of `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String {
    Base64.encode(bytes.span, .url, isPadded: false)
  }

  /// The bytes of a text; nil unless it is exactly what `encode` writes for some bytes.
  public static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    Base64.decodeExact(text.span, .url, isPadded: false)
  }

  /// The bytes of a text that others wrote; as `decode`, with the padding that some add.
  package static func decodeAllowingPadding(_ text: String) -> [UInt8]? {
    var letters = Array(text.utf8)[...]
    if letters.count % 4 == 0 {
      for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
    }
    return decode(letters)
  }

  /// The bytes of a text; see `decode(_:)` of its bytes.
  public static func decode(_ text: String) -> [UInt8]? {
    Base64.decodeExact(text.utf8.span, .url, isPadded: false)
  }
}
