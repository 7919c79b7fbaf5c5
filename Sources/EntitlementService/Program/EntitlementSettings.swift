internal import ServiceKit

/// Settings of EntitlementService.
struct EntitlementSettings: Sendable {
  /// The store.
  var store: StorePlace
  /// The catalogue.
  var catalog: Catalog
  /// Which purchases count, and how they are taken.
  var purchases: PurchaseSettings
  /// How long audit records, and entries of the logs of subjects, are kept, in milliseconds; nil keeps them all.
  var auditLifetime: Int64?
  /// Whether events are kept for other systems.
  var keepsEvents = false
  /// Bytes of log that one user may leave at once; nil for the store's own default.
  var logBudgetByteCount: Int64?
  /// How long an answer may be relied on, in milliseconds; less when something ends before.
  var answerLifetime: Int64 = 300_000
  /// How often a watch says that it lives.
  var heartbeatInterval = Duration.seconds(3)
  /// Subjects whose holdings are kept in memory, at most.
  var cachedSubjectCountMax = 100_000
}
