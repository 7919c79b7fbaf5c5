internal import ServiceKit

/// For whom passkeys are taken, as settings say it.
public struct PasskeySettings: Sendable {
  /// Nil as long as nobody asked for passkeys.
  public var relyingParty: RelyingParty?

  /// No passkeys.
  public init() {}

  /// Reads the settings.
  init(_ field: JSONField) throws(JSONDecodingError) {
    var members = try field.members()
    let idField = try members.required("relying_party_id")
    let id = try idField.string()
    guard Self.isDomain(id) else {
      throw idField.error("\"\(id)\" must be a domain in lower case, such as example.com")
    }
    let name = try members.optional("relying_party_name")?.nonEmptyString() ?? id
    let originsField = try members.required("origins")
    let origins = try originsField.elements()
    guard (1...16).contains(origins.count) else {
      throw originsField.error("must have 1 to 16 elements")
    }
    var texts: Set<String> = []
    for origin in origins {
      let text = try origin.string()
      guard Self.isOrigin(text, of: id) else {
        throw origin.error(
          "\"\(text)\" must be like https://example.com, android:apk-key-hash:…, or for the domain "
            + "localhost http://localhost:8080"
        )
      }
      texts.insert(text)
    }
    try members.finish()
    relyingParty = RelyingParty(id: id, name: name, origins: texts)
  }

  /// Whether it is a domain as browsers write it: an address of a machine is none.
  private static func isDomain(_ text: String) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    let last = labels.last?.utf8.first
    return text.utf8.count <= 253 && last.map { !(0x30...0x39).contains($0) } ?? false
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
          && label.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
          }
      }
  }

  /// Whether a browser or Android could say that it is there.
  private static func isOrigin(_ text: String, of id: String) -> Bool {
    let application = "android:apk-key-hash:"
    if text.hasPrefix(application) {
      return Base64URL.decode(String(text.dropFirst(application.count)))?.count == 32
    }
    let scheme = id == "localhost" && text.hasPrefix("http://localhost") ? "http://" : "https://"
    guard text.hasPrefix(scheme) else { return false }
    let parts = text.dropFirst(scheme.count).split(separator: ":", omittingEmptySubsequences: false)
    guard let host = parts.first, parts.count <= 2, isDomain(String(host)) else { return false }
    guard parts.count == 2 else { return true }
    // The port of the scheme is left out by browsers.
    guard let port = UInt16(parts[1]), String(port) == parts[1], port > 0 else { return false }
    return port != (scheme == "http://" ? 80 : 443)
  }
}
