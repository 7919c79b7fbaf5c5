internal import ServiceKit

/// Where the console is, and where it finds the other services.
public struct ConsoleSettings: Sendable {
  /// The origin by which people reach it: `https://auth.example.com`; nil if nobody has said.
  public var address: String?
  /// The origin of TenancyService, if it is another one than the console's own.
  public var tenancy: String?
  /// The same of EntitlementService.
  public var entitlement: String?

  /// A console behind a gateway, which is the one origin of all services.
  public init() {}

  /// Reads the settings.
  init(_ field: JSONField) throws(JSONDecodingError) {
    var members = try field.members()
    address = try members.optional("address").map(Self.origin)
    tenancy = try members.optional("tenancy").map(Self.origin)
    entitlement = try members.optional("entitlement").map(Self.origin)
    try members.finish()
  }

  /// The beginning of the links in mails, unless the settings of mail say it.
  var link: String? { address.map { $0 + ConsoleDocuments.folder } }

  /// An origin as browsers send it: it goes into a header field and into a page.
  private static func origin(_ field: JSONField) throws(JSONDecodingError) -> String {
    let text = try field.string()
    let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
    let host = text.dropFirst(scheme?.utf8.count ?? 0)
    guard scheme != nil, (1...260).contains(host.utf8.count), host.utf8.allSatisfy(isOfHost) else {
      throw field.error("\"\(text)\" must be like https://auth.example.com, without a path")
    }
    return text
  }

  private static func isOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "-.:[]".utf8.contains(byte)
    }
  }
}
