internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// How decisions follow the store: on the thread that writes, after each commit and before the next.
extension PermissionEngine: CommitFollower {
  /// One revision of the store; a change that means nothing to the forest is none.
  struct Step: Sendable {
    let change: ForestChange?
    /// News for watchers about which the forest has nothing to learn.
    let news: Event.Kind?
    let revision: Int64
    /// The subject and the root of the tree that the log names beside a change of the forest.
    let place: (subject: String, entity: String)?

    init(
      change: ForestChange?,
      news: Event.Kind? = nil,
      revision: Int64,
      place: (subject: String, entity: String)? = nil
    ) {
      (self.change, self.news, self.revision, self.place) = (change, news, revision, place)
    }

    fileprivate init(_ change: Change, _ policy: Policy) {
      guard change.kind == ForestChange.featuresKind else {
        self.init(
          change: ForestChange(change, policy),
          revision: change.revision,
          place: (change.subject, change.scope)
        )
        return
      }
      let isForAll = change.subject == Forest.systemIdentifier
      let news = isForAll ? Event.Kind.policy : .subtree(change.subject)
      self.init(change: nil, news: news, revision: change.revision)
    }
  }

  /// Changes that are taken over in one hold of the lock, at most: about 2 ms.
  ///
  /// All that ordinary commits make, so that a write is seen as a whole or not at all. A larger one
  /// deletes a large tree, from its leaves upwards; checks need not wait for all of that, and what they
  /// see half way is that some of it is gone.
  static let stepCountMax = 4096

  func follow(_ changes: [Change]) {
    var rest = changes[...]
    while let first = rest.first {
      guard first.kind != ForestChange.policyKind else {
        adoptPrepared(at: first.revision)
        rest = rest.dropFirst()
        continue
      }
      // Only this thread takes another policy over, so it is the forest's until then.
      let policy = policy
      let portion = rest.prefix(Self.stepCountMax).prefix { $0.kind != ForestChange.policyKind }
      apply(portion.map { Step($0, policy) })
      rest = rest.dropFirst(portion.count)
    }
    trim()
  }

  /// Takes over the policy that was made ready for this change; of a past process, or another program, there is none.
  ///
  /// Watchers hear of it all the same: they may have asked the other program.
  private func adoptPrepared(at revision: Int64) {
    // One that has not followed the store to here is for a change that is still to come.
    guard var forest = takePrepared(for: revision, ifAt: self.revision) else {
      return apply([Step(change: nil, news: .policy, revision: revision)])
    }
    forest.revision = revision
    adopt(forest)
  }
}

extension Forest {
  /// Follows all that the store has committed since, on the thread that writes; false when its log
  /// no longer goes back that far.
  mutating func catchUp(_ tx: borrowing WriteTransaction) throws -> Bool {
    try tx.forEachChange(after: revision) { changes in
      for change in changes {
        if let step = ForestChange(change, policy) { apply(step) }
        revision = change.revision
      }
    }
  }
}

/// All memory of TenancyService that follows commits: a store has one follower.
struct TenancyFollower: CommitFollower {
  let engine: PermissionEngine
  let watchers: [ScopeWatchers]
  let newcomers: Newcomers
  /// Those of rooms above the core.
  let others: [any CommitFollower]

  func follow(_ changes: [Change]) {
    // Decisions first: anyone who is woken by the others asks whether it may still see them.
    engine.follow(changes)
    for watchers in watchers { watchers.follow(changes) }
    for follower in others { follower.follow(changes) }
    if changes.contains(where: { $0.kind == PersonTable.changeKind }) { newcomers.announce() }
  }
}
