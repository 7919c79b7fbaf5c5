internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension AuthCore {
  /// The user with its defaults as its roles are now, stored if that changed them.
  ///
  /// Without the roles nothing is known, and nothing is changed.
  func settled(
    _ user: UserRecord,
    _ context: UserContext,
    _ call: CallContext
  ) async throws -> (user: UserRecord, context: UserContext) {
    guard context.associations != nil else { return (user, context) }
    guard !context.isSuspended else {
      // They come back as they were when the suspension is lifted.
      var shown = user
      for (_, path) in Self.defaultTypes { shown.defaults[keyPath: path] = .none }
      return (shown, context)
    }
    let now = clock.now
    var settled = user
    var unknown: [(type: String, id: String)] = []
    for (type, path) in Self.defaultTypes {
      let id = user.defaults[keyPath: path].id
      if !id.isEmpty, !context.entities(type, now: now).contains(id) { unknown.append((type, id)) }
    }
    // Chosen by the user below something that it has a role on; rare, so asked only then.
    let seen = try await contexts.seen(unknown, by: user.id)
    for (type, path) in Self.defaultTypes {
      settled.defaults[keyPath: path] = user.defaults[keyPath: path].following(
        context.entities(type, now: now)
      ) { seen.contains($0) }
    }
    guard settled.defaults != user.defaults else { return (user, context) }
    let changed = settled
    let stored = try await store.write(call) { tx -> UserRecord in
      // What the user chose in the meantime counts more than what was derived from before that.
      var current = try UserTable.require(user.id, in: tx)
      guard current.defaults == user.defaults else { return current }
      let before = current.digest
      current.defaults = changed.defaults
      try UserTable.update(&current, in: tx)
      try tx.audit(
        "user.follow_roles",
        object: user.id,
        before: before,
        after: current.digest,
        by: .user(user.id)
      )
      return current
    }
    return (stored, context)
  }

  /// The entity types that have defaults, by their names in the policy.
  static var defaultTypes: [(String, WritableKeyPath<UserDefaults, DefaultChoice>)] {
    [("portfolio", \.portfolio), ("property", \.property), ("unit", \.unit)]
  }
}
