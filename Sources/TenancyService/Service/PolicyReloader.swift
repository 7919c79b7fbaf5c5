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
  private var loaded: [UInt8]
  private var isLoading = false

  /// `loaded` is the text of the policy that is in force.
  init(_ core: TenancyCore, loaded: [UInt8]) {
    self.core = core
    self.loaded = loaded
    served = Products.parts(of: core.policy)
  }

  /// Puts the policy of a text into force; false when it is in force already.
  ///
  /// Throws `PolicyError` for one that does not load, whose assertions fail, or that lacks what the
  /// handlers or the store need, and `StoreError`; then the old one stays.
  func load(_ text: [UInt8]) async throws -> Bool {
    // A signal that was meant for certificates must not empty the caches of others.
    guard text != loaded else { return false }
    guard !isLoading else {
      throw PolicyError([
        .init(path: "", problem: "another policy is being loaded; try again when that is done")
      ])
    }
    isLoading = true
    defer { isLoading = false }
    let old = core.policy
    let policy = try Self.policy(text, serving: served)
    let core = core
    core.engine.prepare(try await core.database.read { tx in try ForestLoader.load(policy, tx) })
    let (before, after) = (Digests.sha256(loaded), Digests.sha256(text))
    do {
      try await core.store.writeOwn { tx in
        // With nothing before it in its commit, the forest is at the revision before the policy's.
        try tx.relyOnEverything()
        guard var forest = core.engine.takePrepared(), try forest.catchUp(tx) else {
          throw PolicyError([.init(path: "", problem: "took too long to load; try again")])
        }
        core.engine.prepare(forest)
        try tx.audit(
          "policy.load",
          object: Forest.systemIdentifier,
          scope: Forest.systemIdentifier,
          before: before,
          after: after,
          detail: "\(policy.name) \(policy.version)"
        )
        try tx.appendChange(
          kind: ForestChange.policyKind,
          subject: Forest.systemIdentifier,
          scope: Forest.systemIdentifier,
          payload: [UInt8]("\(policy.name) \(policy.version)".utf8),
          touching: [.policy]
        )
      }
    } catch {
      core.engine.prepare(nil)
      throw error
    }
    loaded = text
    core.instruments.inForce(policy, insteadOf: old)
    core.logger.notice(
      "policy loaded",
      ["policy": .string(policy.name), "version": .string("\(policy.version)")]
    )
    return true
  }

  /// The policy of a text, if it loads and the handlers can work with it.
  ///
  /// It needs what the products need that it has a part of, and those that are served already.
  static func policy(
    _ text: [UInt8],
    serving served: [any Product.Type] = []
  ) throws(PolicyError) -> Policy {
    let policy = try Policy.load(text)
    let missing = Products.missing(in: policy, serving: served)
    guard missing.isEmpty else { throw PolicyError(missing) }
    return policy
  }
}
