/// What a service's store is, wherever it lies: for opening it, and for the commands that look at it.
public struct StoreDefinition: Sendable {
  /// Tells the files of one service from those of another (SQLite's application_id); not 0.
  public let applicationID: Int32
  /// The steps to its schema.
  public let migrations: [Migration]

  /// Makes a definition.
  public init(applicationID: Int32, migrations: [Migration]) {
    self.applicationID = applicationID
    self.migrations = migrations
  }
}
