/// The definition of a service's store, wherever it lies: for opening it, and for the commands that look at it.
public struct StoreDefinition: Sendable {
  /// Tells the files of one service from those of another (SQLite's application_id); not 0.
  public let applicationID: Int32
  /// The steps to its schema.
  public let migrations: [Migration]
  /// The checks of its rows, for a store with the newest schema.
  public let checks: [StoreCheck]

  /// Makes a definition.
  public init(applicationID: Int32, migrations: [Migration], checks: [StoreCheck] = []) {
    self.applicationID = applicationID
    self.migrations = migrations
    self.checks = checks
  }
}
