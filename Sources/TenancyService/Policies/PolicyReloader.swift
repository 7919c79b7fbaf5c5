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
  /// Products whose handlers are served, whatever is loaded later.
  private let served: [any Product.Type]
  private var loaded: [PolicySource]
  private var isLoading = false

  /// `loaded` is the text of what is in force.
  init(_ core: TenancyCore, loaded: [PolicySource]) {
    self.core = core
    self.loaded = loaded
    served = Products.parts(of: core.policy)
  }

  /// Puts the policy of some files into force; false when it is in force already.
  ///
  /// Throws `PolicyError` for one that does not load, whose assertions fail, or that lacks what the
  /// handlers or the store need, and `StoreError`; then the old one stays.
  func load(_ sources: [PolicySource]) async throws -> Bool {
    // A signal that was meant for certificates must not empty the caches of others.
    guard sources != loaded else { return false }
    guard !isLoading else {
      throw PolicyError([
        .init(path: "", problem: "another policy is being loaded; try again when that is done")
      ])
    }
    isLoading = true
    defer { isLoading = false }
    let old = core.policy
    let policy = try Self.policy(sources, serving: served)
    let core = core
    // A government's new rules count from here on, in roles as in the policy.
    core.zones.forget()
    let zones = core.zones
    let forest = try await core.database.read { tx in try ForestLoader.load(policy, zones, tx) }
    core.warn(ofZonesMissingIn: forest)
    core.engine.prepare(forest)
    let (before, after) = (Self.digest(loaded), Self.digest(sources))
    do {
      try await core.store.writeOwn { tx in
        // With nothing before it in its commit, the forest is at the revision before the policy's.
        try tx.relyOnEverything()
        guard var forest = core.engine.takePrepared(), try forest.catchUp(tx) else {
          throw PolicyError([.init(path: "", problem: "took too long to load; try again")])
        }
        core.engine.prepare(forest)
        try PastPolicy.keep(sources, tx)
        try tx.audit(
          "policy.load",
          object: Forest.systemIdentifier,
          scope: Forest.systemIdentifier,
          before: before,
          after: after,
          detail: policy.summary
        )
        try tx.appendChange(
          kind: ForestChange.policyKind,
          subject: Forest.systemIdentifier,
          scope: Forest.systemIdentifier,
          payload: [UInt8](policy.summary.utf8),
          touching: [.policy]
        )
      }
    } catch {
      core.engine.prepare(nil)
      throw error
    }
    loaded = sources
    core.pastPolicies.add(policy, from: sources)
    core.instruments.inForce(policy, insteadOf: old)
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
    serving served: [any Product.Type] = []
  ) throws(PolicyError) -> Policy {
    let policy = try Policy.load(sources, zones: TimeZoneFiles())
    let problems = Products.missing(in: policy, serving: served)
    guard problems.isEmpty else { throw PolicyError(problems) }
    return policy
  }

  private static func digest(_ sources: [PolicySource]) -> [UInt8] {
    // One file is its own digest; of several, the digests one after another.
    let digests = sources.map { Digests.sha256($0.text) }
    return digests.count == 1 ? digests[0] : Digests.sha256(Array(digests.joined()))
  }
}
