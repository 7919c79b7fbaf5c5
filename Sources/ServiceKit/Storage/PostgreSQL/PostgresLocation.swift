/// Where a store on a server of PostgreSQL is: `postgresql://gatehouse@db.example:5432/tenancy`.
///
/// The address is libpq's ("Connection URIs" in chapter 34 of PostgreSQL's manual) and may say more, as
/// `?sslmode=verify-full`. It may hold a password, so it is never printed as a whole.
public struct PostgresLocation: Hashable, Sendable, CustomStringConvertible {
  /// The address as libpq takes it.
  let address: String

  private static let schemes = ["postgresql://", "postgres://"]

  /// Takes an address; nil for what is none of PostgreSQL's.
  public init?(_ address: String) {
    guard Self.isLocation(address) else { return nil }
    self.address = address
  }

  /// Whether a text is an address of PostgreSQL, and not a path.
  public static func isLocation(_ text: String) -> Bool { schemes.contains { text.hasPrefix($0) } }

  /// Whether a password stands in the address, before its server or among its parameters.
  var hasPassword: Bool {
    let rest = address.drop { $0 != ":" }.dropFirst(3)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let user = authority.lastIndex(of: "@").map { authority[..<$0] }
    let parameters = rest.drop { $0 != "?" }.dropFirst().split(separator: "&")
    return user?.contains(":") == true || parameters.contains { $0.hasPrefix("password=") }
  }

  /// Server and database, without user, password and parameters.
  public var description: String {
    let rest = address.drop { $0 != ":" }.dropFirst(3)
    let withoutParameters = rest.prefix { $0 != "?" }
    let server = withoutParameters.lastIndex(of: "@").map {
      withoutParameters[withoutParameters.index(after: $0)...]
    }
    return "postgresql://\(server ?? withoutParameters)"
  }
}
