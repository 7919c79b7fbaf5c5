internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Puts another policy into force while calls are answered.
///
/// The store has no policy, but its change log says when each came into force: the engine decides by
/// the old one up to that change and by the new one from it on, and those who watch hear of it in
/// order. Until then everything is prepared aside, so that a policy with a mistake changes nothing.
/// Writes that come after it in its commit decide again once it is in force.
actor PolicyReloader {
  private let core: TenancyCore
  private let metrics: PolicyMetrics
  private let past: PastPolicies
  /// Products whose handlers are served, whatever is loaded later.
  private let served: [any Product.Type]
  private var loaded: [PolicySource]
  private var isLoading = false

  /// `loaded` is the text of what is in force; `past` remembers it.
  init(_ core: TenancyCore, _ past: PastPolicies, loaded: [PolicySource]) {
    (self.core, self.past, self.loaded) = (core, past, loaded)
    metrics = PolicyMetrics(core.metrics)
    served = core.products.parts(of: core.policy)
  }

  /// Says which policy is in force, and keeps it if it is another one than when the service was last there.
  ///
  /// Those who keep decisions of the one before get news then. Where several programs serve the store, that happens at
  /// each start: another program may have kept this policy already, while this one still decided by the one before.
  func begin() async throws {
    let (policy, sources) = (core.policy, loaded)
    metrics.inForce(policy)
    core.engine.peek { warn(ofZonesMissingIn: $0) }
    past.add(policy, from: sources)
    let isShared = core.database.isShared
    let isLast = try await core.database.read { tx in try PastPolicyTable.isLast(sources, in: tx) }
    guard !isLast || isShared else { return }
    try await core.store.writeOwn { tx in
      let last = try PastPolicyTable.last(in: tx)
      if last?.digest != PastPolicyTable.digest(of: sources) {
        try LimitTable.forget(in: tx)
        try PastPolicyTable.keep(sources, in: tx)
        if let last { try Self.record(policy, sources, insteadOf: last.sources, in: tx) }
      }
      // Nobody can keep a decision of a store that is new.
      if last != nil { try Self.announce(policy, in: tx) }
    }
  }

  /// Puts the policy of files into force as `load` does, if they could be read, and counts how that ended.
  func reload(_ sources: Result<[PolicySource], any Error>) async throws {
    do {
      metrics.reloads.increment(try await load(try sources.get()) ? .loaded : .unchanged)
    } catch {
      metrics.reloads.increment(.failed)
      throw error
    }
  }

  /// Puts the policy of some files into force; false when it is in force already.
  ///
  /// Throws `PolicyError` for one that does not load, whose assertions fail, or that lacks what the
  /// handlers or the store need, and `StoreError`; then the old one stays.
  func load(_ sources: [PolicySource]) async throws -> Bool {
    // A signal that was meant for certificates must not empty the caches of other services.
    guard sources != loaded else { return false }
    guard !isLoading else {
      throw PolicyError([
        .init(path: "", problem: "another policy is being loaded; try again when that is done")
      ])
    }
    isLoading = true
    defer { isLoading = false }
    let old = core.policy
    let policy = try Self.policy(sources, core.products, serving: served)
    let core = core
    // A government's new rules count from here on, in roles as in the policy.
    core.zones.forget()
    let zones = core.zones
    let held = core.engine.peek { $0.heldRoots }
    let forest = try await core.database.read { tx in
      try ForestLoader.load(held, policy, zones, tx)
    }
    warn(ofZonesMissingIn: forest)
    core.engine.prepare(forest)
    let replaced = loaded
    do {
      try await core.store.writeOwn { tx in
        // With nothing before it in its commit, the forest is at the revision before the policy's.
        try tx.relyOnEverything()
        guard var forest = core.engine.takePrepared(), try forest.catchUp(tx) else {
          throw PolicyError([.init(path: "", problem: "took too long to load; try again")])
        }
        if policy.limits != old.limits { try LimitTable.forget(in: tx) }
        try PastPolicyTable.keep(sources, in: tx)
        try Self.record(policy, sources, insteadOf: replaced, in: tx)
        core.engine.prepare(forest, for: try Self.announce(policy, in: tx))
      }
    } catch {
      core.engine.prepare(nil)
      throw error
    }
    loaded = sources
    past.add(policy, from: sources)
    metrics.inForce(policy, insteadOf: old)
    for document in policy.documents {
      core.logger.notice(
        "policy loaded",
        ["policy": .string(document.name), "version": .string("\(document.version)")]
      )
    }
    return true
  }

  /// The policy of some files, if they load and the handlers can work with it.
  ///
  /// It needs what the products need that it has a part of, and those that are served already.
  static func policy(
    _ sources: [PolicySource],
    _ products: [any Product.Type] = Products.all,
    serving served: [any Product.Type] = []
  ) throws(PolicyError) -> Policy {
    let policy = try Policy.load(sources, zones: TimeZoneFiles())
    let problems = products.missing(in: policy, serving: served)
    guard problems.isEmpty else { throw PolicyError(problems) }
    return policy
  }

  /// Logs a line for each zone that roles name and that this machine does not have: what they are for is
  /// closed until it has.
  private nonisolated func warn(ofZonesMissingIn forest: borrowing Forest) {
    for zone in forest.missingZones.sorted() {
      core.logger.warning(
        "unknown time zone; roles with a recurring window in it do not count until tzdata has it",
        ["time_zone": .string(zone)]
      )
    }
  }

  private static func record(
    _ policy: Policy,
    _ sources: [PolicySource],
    insteadOf replaced: [PolicySource],
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.audit(
      "policy.load",
      object: Forest.systemIdentifier,
      scope: Forest.systemIdentifier,
      before: digest(replaced),
      after: digest(sources),
      detail: policy.summary
    )
  }

  /// Tells those who watch that all decisions may be other ones from this change on; returns its revision.
  @discardableResult
  private static func announce(
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws -> Int64 {
    try tx.appendChange(
      kind: ForestChange.policyKind,
      subject: Forest.systemIdentifier,
      scope: Forest.systemIdentifier,
      payload: [UInt8](policy.summary.utf8),
      touching: [.policy]
    )
  }

  private static func digest(_ sources: [PolicySource]) -> [UInt8] {
    // One file is its own digest; of several, the digests one after another.
    let digests = sources.map { Digests.sha256($0.text) }
    return digests.count == 1 ? digests[0] : Digests.sha256(Array(digests.joined()))
  }
}
