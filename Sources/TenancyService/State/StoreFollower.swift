internal import RPCKit
internal import ServiceKit

/// Carries committed changes from the store into the engine, in their order.
struct StoreFollower {
  let core: TenancyCore

  /// Runs until the store is closed or the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      do {
        try await follow()
        return
      } catch is CancellationError {
        return
      } catch {
        // Decisions stand still meanwhile, and writers wait for them: say so and try again soon.
        core.logger.warning("changes cannot be read", ["error": .string("\(error)")])
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
  }

  private func follow() async throws {
    let engine = core.engine
    for try await event in core.database.changes(after: engine.revision) {
      switch event {
      case .change(let change) where change.kind == ForestChange.policyKind:
        try await adopt(at: change.revision)
      case .change(let change):
        // Only this task takes another policy over, so it is the forest's.
        engine.apply(
          ForestChange(kind: change.kind, payload: change.payload, policy: engine.policy),
          at: change.revision
        )
      case .resync: engine.replace(try await load(engine.policy))
      }
    }
  }

  /// Takes the policy over that was made ready for this change; of a past process there is none.
  private func adopt(at revision: Int64) async throws {
    let engine = core.engine
    guard var forest = engine.takePrepared() else { return engine.apply(nil, at: revision) }
    do {
      try await catchUp(&forest, to: revision)
      // The store was closed meanwhile.
      guard forest.revision >= revision else { throw CancellationError() }
    } catch {
      engine.prepare(forest)
      throw error
    }
    engine.adopt(forest)
  }

  /// Brings a forest that nobody sees yet to a revision that is committed.
  private func catchUp(_ forest: inout Forest, to revision: Int64) async throws {
    guard forest.revision < revision else { return }
    for try await event in core.database.changes(after: forest.revision) {
      switch event {
      case .change(let change):
        if let step = ForestChange(
          kind: change.kind,
          payload: change.payload,
          policy: forest.policy
        ) {
          forest.apply(step)
        }
        forest.revision = change.revision
      case .resync: forest = try await load(forest.policy)
      }
      if forest.revision >= revision { return }
    }
  }

  private func load(_ policy: Policy) async throws -> Forest {
    try await core.database.read { tx in try ForestLoader.load(policy, tx) }
  }
}
