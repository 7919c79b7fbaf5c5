public import AccessEngine
public import ServiceKit

/// Settings of TenancyService.
public struct TenancySettings: Sendable {
  /// The store.
  public var store: StorePlace
  /// The policies, as JSON texts.
  public var policies: [PolicySource]
  /// How long audit records are kept, in milliseconds; nil keeps them all.
  public var auditLifetime: Int64?
  /// Whether events are kept for other systems.
  public var keepsEvents = false
  /// Bytes of log that one user may leave at once; nil for the store's own default.
  public var logBudgetByteCount: Int64?
  /// Bytes that trees in memory may take, about: those that are used least leave it.
  public var treeByteCountMax = 1 << 30
  /// Entities of a tree for which questions about single entities wait, at most.
  var smallTreeCountMax = 50_000
  /// Signs compliance reports, asked for each; nil until there is a key, and then there are no reports.
  public var reportKey: @Sendable () -> SigningKey? = { nil }
  /// How webhooks are sent; nil sends none.
  var webhooks: WebhookSettings?
  /// The notices that people get by mail.
  var notices = NoticeSettings()
  /// Whether operators may look at policies before they are loaded.
  public var offersWorkbench = false
  /// The demands on requests that a gateway asks about.
  public var gatewayRoutes = GatewayRoutes()

  /// Makes settings.
  public init(store: StorePlace, policies: [PolicySource]) {
    self.store = store
    self.policies = policies
  }

  /// Makes settings with one policy.
  public init(store: StorePlace, policy: [UInt8]) {
    self.init(store: store, policies: [PolicySource(name: "", text: policy)])
  }
}
