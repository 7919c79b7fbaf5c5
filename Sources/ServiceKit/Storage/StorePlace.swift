/// Where a store is: in a file, or on a server of PostgreSQL.
public struct StorePlace: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file; for a server, what it is called in errors.
  public let path: String
  /// Where the store is when a server keeps it; nil for a file.
  public let server: PostgresLocation?

  /// A store in a file, whose folder must exist.
  public static func file(_ path: String) -> StorePlace { StorePlace(path: path, server: nil) }

  /// A store on a server.
  public static func server(_ location: PostgresLocation) -> StorePlace {
    StorePlace(path: location.description, server: location)
  }

  private init(path: String, server: PostgresLocation?) {
    (self.path, self.server) = (path, server)
  }

  /// The path of the file; throws for a store on a server, with what is to be done there instead.
  public func file(instead advice: String) throws(StoreError) -> String {
    guard server == nil else { throw .notInFile(path: path, advice: advice) }
    return path
  }

  /// The path, or server and database.
  public var description: String { path }
}
