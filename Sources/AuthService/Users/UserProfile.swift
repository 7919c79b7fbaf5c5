internal import ServiceKit

/// The profile that a user writes, and the data that applications keep with the account.
public struct UserProfile: Hashable, Sendable {
  /// Address of the user's picture; empty without one.
  public var photoURL = ""
  /// Name of the user's time zone; empty if none was chosen.
  public var timeZone = ""
  /// Settings of applications: the text of a JSON object.
  public var settings = "{}"
  /// The user's activities: the text of `ActivityList`.
  public var activities = "[]"

  /// Bytes of the settings, at most.
  static let settingsByteCountMax = 16 << 10
  /// The limits of settings.
  static let settingsLimits = JSONLimits(
    byteCountMax: settingsByteCountMax,
    depthMax: 8,
    valueCountMax: settingsByteCountMax
  )

  /// Whether a text can be the address of a picture: an https URL with a host and without a user name
  /// (RFC 3986), which applications can show without looking at it twice.
  static func isPhotoURL(_ text: String) -> Bool {
    let scheme = "https://"
    guard text.hasPrefix(scheme), text.utf8.allSatisfy(isURLByte) else { return false }
    let authority = text.utf8.dropFirst(scheme.utf8.count).prefix { !endsAuthority.contains($0) }
    return authority.first.map(isHostStart) == true
      && !authority.contains(UInt8(ascii: "@"))
  }

  private static let endsAuthority = Array("/?#".utf8)
  /// Printable, but never part of a URL.
  private static let excluded = Array("\"<>\\^`{|}".utf8)

  private static func isURLByte(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !excluded.contains(byte)
  }

  /// A letter, a digit, or the bracket of an IPv6 address.
  private static func isHostStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "["):
      true
    default: false
    }
  }
}
