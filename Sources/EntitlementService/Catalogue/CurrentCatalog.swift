internal import RPCKit
internal import ServiceKit

/// The catalogue in use; another one comes into force with the commit that records it.
final class CurrentCatalog: Sendable {
  /// The kind of change that says that the catalogue is another one.
  static let changeKind = "tiers"

  private let store: ServiceStore
  private let current: Lock<Catalog>
  /// The catalogue that comes into force with the commit that records it.
  private let prepared = Lock<Prepared?>(nil)

  private struct Prepared {
    let catalog: Catalog
    /// The change that puts it into force, which no change of another program does; nil until it is written.
    var change: Int64?
  }

  init(_ catalog: Catalog, store: ServiceStore) {
    current = Lock(catalog)
    self.store = store
  }

  /// The catalogue of the moment.
  var value: Catalog { current.withLock { $0 } }

  /// Goes on with another catalogue from the commit on that records it, and tells those who watch.
  ///
  /// Throws `StoreError` when it cannot be recorded; then the old one stays in use. One at a time.
  func replace(by catalog: Catalog) async throws {
    let isOther = catalog.digest != value.digest
    prepared.withLock { $0 = Prepared(catalog: catalog) }
    defer { prepared.withLock { $0 = nil } }
    try await record(catalog, tells: isOther)
    // The one in use, of which no commit tells.
    if let rest = prepared.withLock({ $0.take() }) { current.withLock { $0 = rest.catalog } }
  }

  /// Records which catalogue is in use; another one than last time is a change of everything.
  ///
  /// Where several programs serve the store, one that `tells` of it says so although another has recorded it: those who
  /// have asked this program until then know what the catalogue before it said.
  func record(_ catalog: Catalog, tells: Bool = true) async throws {
    let digest = catalog.digest
    let tellsAgain = tells && store.database.isShared
    try await store.writeOwn { tx in
      let known = try tx.first("SELECT digest FROM catalog_state") { $0.text(0) }
      guard known != digest || tellsAgain else { return }
      let change = try tx.appendChange(
        kind: Self.changeKind,
        subject: "",
        scope: "",
        touching: [.catalog]
      )
      self.prepared.withLock { $0?.change = change }
      guard known != digest else { return }
      try tx.execute(
        """
        INSERT INTO catalog_state (place, digest) VALUES (1, ?)
        ON CONFLICT (place) DO UPDATE SET digest = excluded.digest
        """,
        .text(digest)
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

extension CurrentCatalog: CommitFollower {
  /// Goes on with the catalogue that a commit tells of, if this program has it; else it takes it by a reload of its own.
  func follow(_ changes: [Change]) {
    let own = prepared.withLock { prepared -> Prepared? in
      guard let change = prepared?.change, changes.contains(where: { $0.revision == change }) else {
        return nil
      }
      return prepared.take()
    }
    guard let own else { return }
    current.withLock { $0 = own.catalog }
  }
}

extension ConflictKey {
  /// The catalogue: writes that were checked against it run again when it changes before them.
  static let catalog = ConflictKey("catalog")
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
