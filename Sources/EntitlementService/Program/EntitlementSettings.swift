internal import RPCKit
public import ServiceKit

/// How a deployment of this service behaves.
public struct EntitlementConfiguration: Sendable {
  /// The store's file.
  public var database: String
  /// What is sold.
  public var catalog: Catalog
  /// The application whose purchases count.
  public var application: AppleApplication
  /// Where purchases unlock something: production, unless this installation is for testing.
  public var environment = AppleEnvironment.production
  /// Whether production also takes purchases of the sandbox, which unlock nothing and are answered
  /// distinctly.
  ///
  /// App Review buys in the sandbox, so to refuse them fails the review.
  public var acceptsSandbox = true
  /// Users whose purchases of the sandbox do count.
  public var sandboxUsers: Set<String> = []
  /// Root certificates from which signed data must descend.
  public var anchors: [TrustAnchor] = [.apple]
  /// Root certificates from which legacy receipts must descend; without any, they are refused.
  public var receiptAnchors: [TrustAnchor] = []
  /// What restoring another user's purchase does.
  public var restorePolicy = RestorePolicy.transfer
  /// How long audit records, and entries of the logs of subjects, are kept, in milliseconds; nil keeps them all.
  public var auditLifetime: Int64?
  /// Bytes of log that one user may leave at once; nil for the store's own default.
  public var logBudgetByteCount: Int64?
  /// How long it is remembered which notifications came, in milliseconds.
  ///
  /// Apple repeats one for three days at most. One that is repeated later than this does no harm:
  /// what it says is older than what is known.
  public var notificationLifetime = Int64(400 * 86_400_000)
  /// How many notifications one source may send that are not genuine.
  public var notificationLimits = NotificationLimits()
  /// How long an answer may be relied on, in milliseconds; less when something ends before.
  public var answerLifetime: Int64 = 300_000
  /// How often a watch says that it lives.
  public var heartbeatInterval = Duration.seconds(3)
  /// Subjects whose holdings are kept in memory, at most.
  public var cachedSubjectCountMax = 100_000

  /// Makes a configuration with defaults.
  public init(database: String, catalog: Catalog, application: AppleApplication) {
    self.database = database
    self.catalog = catalog
    self.application = application
  }
}

/// The service's own settings as a file has them, before the files that they name are read.
///
/// ```json
/// {"catalog": "tiers/default.json",
///  "apple": {"bundle_id": "com.example", "apple_id": 1234, "environment": "Production"},
///  "restore": "transfer"}
/// ```
public struct EntitlementSettings: Sendable {
  /// The file of the catalogue.
  public var catalogPath: String
  /// The application whose purchases count.
  public var application: AppleApplication
  /// See `EntitlementConfiguration.environment`.
  public var environment = AppleEnvironment.production
  /// See `EntitlementConfiguration.acceptsSandbox`.
  public var acceptsSandbox = true
  /// See `EntitlementConfiguration.sandboxUsers`.
  public var sandboxUsers: Set<String> = []
  /// Files of root certificates of test authorities (DER); with one, everything it signs counts.
  public var testRootPaths: [String] = []
  /// The file of Apple's root certificate for legacy receipts (DER); nil refuses them.
  public var receiptRootPath: String?
  /// See `EntitlementConfiguration.restorePolicy`.
  public var restorePolicy = RestorePolicy.transfer
  /// See `EntitlementConfiguration.notificationLifetime`.
  public var notificationLifetime: Int64?
  /// See `EntitlementConfiguration.notificationLimits`.
  public var notificationLimits = NotificationLimits()

  /// Takes the service's own settings out of `members`.
  public init(_ members: inout JSONMembers) throws(JSONDecodingError) {
    catalogPath = try members.optional("catalog")?.string() ?? "tiers/default.json"
    var apple = try members.required("apple").members()
    application = AppleApplication(bundleID: try Self.bundleID(apple.required("bundle_id")))
    application.appleID = try apple.optional("apple_id")?.integer(in: 1...Int64.max)
    if let field = apple.optional("environment") {
      environment = try field.choice(of: AppleEnvironment.self)
    }
    acceptsSandbox = try apple.optional("accept_sandbox")?.boolean() ?? true
    sandboxUsers = Set(try apple.optional("sandbox_users")?.strings() ?? [])
    testRootPaths = try apple.optional("test_roots")?.strings() ?? []
    receiptRootPath = try apple.optional("receipt_root")?.nonEmptyString()
    try apple.finish()
    if let field = members.optional("restore") {
      restorePolicy = try field.choice(of: RestorePolicy.self)
    }
    notificationLifetime = try members.optional("notification_days")?.days(in: 7...36_500)
    if let field = members.optional("source_limits") {
      notificationLimits = try NotificationLimits(field)
    }
  }

  /// The identifier of an application: letters, digits, hyphens and periods (CFBundleIdentifier).
  private static func bundleID(_ field: JSONField) throws(JSONDecodingError) -> String {
    let text = try field.nonEmptyString()
    let isValid = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isValid else { throw field.error("may only have letters, digits, hyphens and periods") }
    return text
  }

  /// Reads the catalogue.
  ///
  /// Throws `ConfigurationError` with the file and the place.
  public func readCatalog() throws(ConfigurationError) -> Catalog {
    do {
      return try Catalog(json: try FileBytes.read(catalogPath, byteCountMax: 4 << 20))
    } catch {
      throw ConfigurationError("\(catalogPath): \(error)")
    }
  }

  /// Reads everything that the settings name.
  ///
  /// Throws `ConfigurationError`.
  public func configuration(
    database: String
  ) throws(ConfigurationError) -> EntitlementConfiguration {
    var configuration = EntitlementConfiguration(
      database: database,
      catalog: try readCatalog(),
      application: application
    )
    configuration.environment = environment
    configuration.acceptsSandbox = acceptsSandbox
    configuration.sandboxUsers = sandboxUsers
    configuration.restorePolicy = restorePolicy
    configuration.notificationLimits = notificationLimits
    if let notificationLifetime { configuration.notificationLifetime = notificationLifetime }
    for path in testRootPaths {
      let anchor = TrustAnchor.test(der: try Self.certificate(path), isStrict: true)
      configuration.anchors.append(anchor)
      configuration.receiptAnchors.append(anchor)
    }
    if let receiptRootPath {
      configuration.receiptAnchors.append(
        .appleReceipts(der: try Self.certificate(receiptRootPath))
      )
    }
    return configuration
  }

  private static func certificate(_ path: String) throws(ConfigurationError) -> [UInt8] {
    do {
      return try FileBytes.read(path, byteCountMax: 64 * 1024)
    } catch {
      throw ConfigurationError("\(path): \(error)")
    }
  }
}
