/// Settings of EntitlementService.
public struct EntitlementSettings: Sendable {
  /// The store's file.
  public var database: String
  /// The catalogue.
  public var catalog: Catalog
  /// Which purchases count, and how they are taken.
  public var purchases: PurchaseSettings
  /// How long audit records, and entries of the logs of subjects, are kept, in milliseconds; nil keeps them all.
  public var auditLifetime: Int64?
  /// Bytes of log that one user may leave at once; nil for the store's own default.
  public var logBudgetByteCount: Int64?
  /// How long an answer may be relied on, in milliseconds; less when something ends before.
  public var answerLifetime: Int64 = 300_000
  /// How often a watch says that it lives.
  public var heartbeatInterval = Duration.seconds(3)
  /// Subjects whose holdings are kept in memory, at most.
  public var cachedSubjectCountMax = 100_000

  /// Makes settings with defaults.
  public init(database: String, catalog: Catalog, purchases: PurchaseSettings) {
    self.database = database
    self.catalog = catalog
    self.purchases = purchases
  }
}
