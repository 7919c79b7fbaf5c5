internal import RPCKit
internal import ServiceKit

/// Turns invitations for an address into roles when somebody proves the address, and such roles into ones like others
/// when they are used.
final class AddressAcceptor: Sendable {
  /// Invitations that are looked at, at a time.
  private static let batchCount = 100
  /// The pause after a failure of the store, in seconds.
  private static let pause: Int64 = 1

  private let core: TenancyCore

  init(_ core: TenancyCore) { self.core = core }

  /// Notes the people who have roles that they have not used; before the first call is answered.
  func begin() async throws {
    let takers = try await core.database.read { tx in try InvitationTable.takers(in: tx) }
    for taker in takers { core.firstUses.expect(taker) }
  }

  /// Gives a person what its address is invited to, oldest first.
  ///
  /// What the inviters may not grant now stays pending, and so does what depends on features that cannot be
  /// asked for. Throws when AuthService cannot say which address it is, or the store fails.
  func accept(_ userID: String) async throws {
    let user = UserIdentity.named(userID)
    guard let address = try await core.verifiedAddress(of: user) else { return }
    var last = ""
    while true {
      let (after, now) = (last, core.clock.now)
      let page = try await core.database.read { tx in
        try InvitationTable.list(
          .address(address, owner: userID),
          pendingAt: now,
          after: after,
          limit: Self.batchCount,
          in: tx
        )
      }
      for record in page { try await take(record.id, user) }
      guard let end = page.last, page.count == Self.batchCount else { return }
      last = end.id
    }
  }

  private func take(_ id: String, _ user: UserIdentity) async throws {
    let core = core
    // Before the role counts, so that its first use cannot be missed.
    core.firstUses.expect(user.userID)
    do {
      _ = try await core.changeOwn { tx in
        guard let record = try InvitationTable.find(id, in: tx) else { return false }
        return try ChangeSet(core: core, call: nil, user: user).take(record, tx)
      }
    } catch let error as RPCError {
      core.logger.info(
        "an invitation stays pending although its address is proven",
        ["invitation": .string(id), "reason": .string(error.reason ?? "\(error.code)")]
      )
    }
  }

  // MARK: First uses

  /// Makes taken roles that are used ones like others, until the task is cancelled.
  func run(on loop: any EventLoop) async {
    while !Task.isCancelled {
      await core.firstUses.wait()
      if await !drain() { await loop.sleep(.seconds(Self.pause)) }
    }
  }

  /// Stores the uses so far; false when the store has failed, and they are noted again.
  @discardableResult
  func drain() async -> Bool {
    let uses = core.firstUses.take()
    for use in uses {
      do {
        try await store(use)
      } catch {
        core.logger.warning("the first use of a role cannot be stored yet", ["error": "\(error)"])
        for use in uses { core.firstUses.note(use.userID, on: use.entityID) }
        return false
      }
    }
    return true
  }

  private func store(_ use: FirstUses.Use) async throws {
    let core = core
    let rest = try await core.changeOwn { tx in
      let taken = try InvitationTable.taken(by: use.userID, in: tx)
      guard !taken.isEmpty else { return 0 }
      let changes = ChangeSet(core: core, call: nil, user: .named(use.userID))
      let reach = try EntityTable.reach(of: use.entityID, in: tx)
      var rest = taken.count
      for record in taken where record.isOpen(at: tx.now) && reach.includes(record.entityID) {
        // One whose tenant-defined role is gone is nothing to use.
        let isThere = try TakenAssociationTable.find(invitation: record.id, in: tx) != nil
        if isThere { _ = try changes.use(record, tx) } else { try changes.giveBack([record], tx) }
        rest -= 1
      }
      return rest
    }
    if rest == 0 { core.firstUses.forget(use.userID) }
  }

  /// Ends roles whose invitations have expired unused.
  func purge(now: Int64) async throws {
    let core = core
    var count = Self.batchCount
    while count == Self.batchCount {
      count = try await core.changeOwn { tx in
        let expired = try InvitationTable.taken(
          expiringBefore: now,
          limit: Self.batchCount,
          in: tx
        )
        try ChangeSet(core: core, call: nil, user: .named("")).giveBack(expired, tx)
        return expired.count
      }
    }
  }
}
