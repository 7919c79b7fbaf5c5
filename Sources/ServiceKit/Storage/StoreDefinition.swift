/// What a service's store is, wherever it lies: for opening it, and for the commands that look at it.
public struct StoreDefinition: Sendable {
  /// Tells the files of one service from those of another (SQLite's application_id); not 0.
  public let applicationID: Int32
  /// The steps to its schema.
  public let migrations: [Migration]
  /// What its rows must agree on, of a store with the newest schema.
  public let checks: [StoreCheck]

  /// Makes a definition.
  public init(applicationID: Int32, migrations: [Migration], checks: [StoreCheck] = []) {
    self.applicationID = applicationID
    self.migrations = migrations
    self.checks = checks
  }
}
