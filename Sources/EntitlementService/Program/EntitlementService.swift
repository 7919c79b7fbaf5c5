internal import Contracts
public import RPCKit
public import ServiceKit

/// What the service is given by its surroundings.
public struct EntitlementDependencies: Sendable {
  /// The date.
  public var clock: any WallClock
  /// Where chance comes from.
  public var random: any RandomSource
  /// Where metrics are registered.
  public var metrics: MetricRegistry
  /// Who may do what with entities of TenancyService.
  public var authorizer: any SubjectAuthorizer
  /// Who has an account.
  public var accounts: any AccountDirectory

  /// Gathers the dependencies.
  public init(
    clock: any WallClock = SystemWallClock(),
    random: any RandomSource = SystemRandomSource(),
    metrics: MetricRegistry,
    authorizer: any SubjectAuthorizer,
    accounts: any AccountDirectory
  ) {
    self.clock = clock
    self.random = random
    self.metrics = metrics
    self.authorizer = authorizer
    self.accounts = accounts
  }
}

/// What subjects are entitled to: tiers, subscriptions and purchases.
///
/// Open it, serve `services` behind an `AuthenticationInterceptor`, which says who calls, and close
/// it after the last call.
public final class EntitlementService: Sendable {
  let core: EntitlementCore
  private let tombstones: Tombstones

  /// Opens the store and makes everything ready.
  ///
  /// Throws `StoreError`, also when sums of the points ledger are wrong, or `TrustAnchorError`.
  public static func open(
    _ configuration: EntitlementConfiguration,
    _ dependencies: EntitlementDependencies
  ) async throws -> EntitlementService {
    let verifier = try SignedDataVerifier(
      application: configuration.application,
      anchors: configuration.anchors,
      clock: dependencies.clock
    )
    let receiptVerifier = try ReceiptVerifier(
      application: configuration.application,
      anchors: configuration.receiptAnchors,
      clock: dependencies.clock
    )
    var store = DatabaseConfiguration(
      path: configuration.database,
      applicationID: EntitlementSchema.applicationID
    )
    store.auditLifetime = configuration.auditLifetime
    if let byteCount = configuration.logBudgetByteCount { store.logBudgetByteCount = byteCount }
    let database = try await Database.open(
      store,
      migrations: EntitlementSchema.migrations,
      clock: dependencies.clock
    )
    do {
      try await database.require(EntitlementProgram.store.checks)
      let identifiers = IdentifierFactory(
        clock: dependencies.clock,
        random: dependencies.random
      )
      var opened = ServiceStore(
        database,
        of: EntitlementProgram.identity.name,
        identifiers: identifiers,
        metrics: dependencies.metrics
      )
      let tombstones = Tombstones(
        secret: HMACKey(try await opened.secret("erasures", random: dependencies.random))
      )
      opened.tombstones = tombstones
      let store = opened
      let core = EntitlementCore(
        configuration: configuration,
        dependencies: dependencies,
        identifiers: identifiers,
        store: store,
        tokens: try await TokenSealer.stored(in: store, random: dependencies.random),
        verifier: verifier,
        receiptVerifier: receiptVerifier,
        signatures: try Bulkhead(name: "signatures", metrics: dependencies.metrics)
      )
      let service = EntitlementService(core, tombstones)
      do {
        try await service.note(configuration.catalog)
        try await database.attach(core, after: database.revision)
      } catch {
        core.signatures.stop()
        throw error
      }
      return service
    } catch {
      await database.close()
      throw error
    }
  }

  private init(_ core: EntitlementCore, _ tombstones: Tombstones) {
    (self.core, self.tombstones) = (core, tombstones)
  }

  /// What is served.
  public var services: [ServiceDefinition] {
    [
      EntitlementsHandler(core: core).definition,
      FeatureFlagsHandler(core: core).definition,
      SubscriptionsHandler(core: core).definition,
      // A notification of 256 KiB, and what is around it.
      PurchasesHandler(core: core).definition
        .allowing(
          260 << 10,
          forRequestsOf: Entitlement_V1.PurchasesMethods.handleNotification.method
        ),
      PointsHandler(core: core).definition,
      AuditHandler(core: core).definition,
      ExportsHandler(core: core).definition,
      HoldersHandler(core: core, tombstones: tombstones).definition,
    ]
  }

  /// Whether the store works.
  public func readiness() -> Readiness {
    Readiness([core.store.database.readinessCheck])
  }

  /// Deletes old rows of the store until the task is cancelled.
  public func maintain(on loop: any EventLoop, clock: any WallClock, logger: Logger) async {
    await core.store.database.maintain(on: loop, clock: clock, logger: logger) { [core] now in
      try await NotificationTable.purge(
        before: now - core.configuration.notificationLifetime,
        from: core.store
      )
      try await UsageTable.purge(before: now - UsageTable.lifetime, from: core.store)
      if let lifetime = core.configuration.auditLifetime {
        try await EntitlementChangeTable.purge(before: now - lifetime, from: core.store)
      }
    }
  }

  /// Goes on with another catalogue from the commit on that records it, and tells those who watch.
  ///
  /// Throws `StoreError` when it cannot be recorded; then the old one stays in use. One at a time.
  public func reload(_ catalog: Catalog) async throws {
    core.prepare(catalog)
    defer { core.prepare(nil) }
    try await note(catalog)
  }

  /// Closes the store, after the last call.
  public func close() async {
    core.signatures.stop()
    await core.store.database.close()
  }

  /// Records which catalogue is in use; another one than last time is a change of everything.
  private func note(_ catalog: Catalog) async throws {
    let digest = catalog.digest
    try await core.store.writeOwn { tx in
      let known = try tx.first("SELECT digest FROM catalog_state") { $0.text(0) }
      guard known != digest else { return }
      try tx.execute(
        """
        INSERT INTO catalog_state (place, digest) VALUES (1, ?)
        ON CONFLICT (place) DO UPDATE SET digest = excluded.digest
        """,
        .text(digest)
      )
      try tx.appendChange(
        kind: EntitlementCore.tiersChangeKind,
        subject: "",
        scope: "",
        touching: [.catalog]
      )
      try tx.audit(
        "catalog.load",
        object: "catalog",
        before: known.map { Digests.sha256($0) },
        after: Digests.sha256(digest),
        detail: "\(catalog.tiers.count) tiers, \(catalog.addons.count) add-ons, "
          + "\(catalog.products.count) products, \(catalog.promotions.count) promotions"
      )
    }
  }
}

extension Catalog {
  /// Tells two catalogues apart, the same in every process.
  fileprivate var digest: String {
    func text(_ values: [String: FeatureValue]) -> String {
      values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ";")
    }
    var lines = features.sorted { $0.key < $1.key }.map { key, feature in
      // Without a meter as ever, so that no upgrade looks like another catalogue.
      "\(key):\(feature.fallback)" + (feature.meter.map { ":\($0.period):\($0.isSoft)" } ?? "")
    }
    for offer in tiers + addons + products {
      // Without a length as ever, for the same reason.
      let length = offer.length.map { " \($0)" } ?? ""
      lines.append("\(offer.name) \(offer.rank) \(text(offer.values))\(length)")
    }
    // No line for a catalogue without any, so that no upgrade looks like another one.
    for promotion in promotions {
      let window = [promotion.startsAt, promotion.endsAt, promotion.countMax].map { $0 ?? -1 }
      let kinds = promotion.subjectKinds.map(\.rawValue).sorted()
      lines.append(
        "\(promotion.name) \(promotion.kind) \(promotion.gift) \(kinds) \(promotion.duration) "
          + "\(window) \(promotion.code)"
      )
    }
    lines.append("\(defaultTier ?? "-") \(unknownTier ?? "-")")
    return PayloadDigest.sha256(Array(lines.joined(separator: "\n").utf8))
  }
}
