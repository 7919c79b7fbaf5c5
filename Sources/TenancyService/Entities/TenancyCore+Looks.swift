internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Records of what operators see of entities, where no decision of a call notes it by itself (`OperatorLooks`).
extension TenancyCore {
  /// Writes down, with what the transaction does, that an entity is seen by a role on the system.
  func audit(
    _ held: HeldEntity,
    seenBy call: CallContext,
    _ tx: borrowing WriteTransaction
  ) throws {
    guard held.explanation.viaEntityID == Forest.systemIdentifier else { return }
    let look = OperatorLooks.Look(entityID: held.record.id, rootID: held.record.rootID)
    try tx.audit(look, call.method.fullName)
  }

  /// The same for a stream, before it sends anything.
  func record(_ held: HeldEntity, seenBy call: CallContext) async throws {
    guard held.explanation.viaEntityID == Forest.systemIdentifier else { return }
    try await change(call) { [self] tx in try audit(held, seenBy: call, tx) }
  }

  /// A list's way to make messages of entities that notes their trees, if the user may see them by a role on the system.
  ///
  /// The trees alone: a page of a thousand objects leaves no more records than it has tenants.
  func noting<Item>(
    _ user: UserIdentity,
    _ message: @escaping @Sendable (EntityRecord, borrowing ReadTransaction) throws -> Item?
  ) -> @Sendable (EntityRecord, borrowing ReadTransaction) throws -> Item? {
    guard engine.peek({ $0.isOnSystem(user.userID) }) else { return message }
    let looks = operatorLooks
    return { record, tx in
      guard let item = try message(record, tx) else { return nil }
      looks.note(user.userID, on: record.rootID) { record.rootID }
      return item
    }
  }
}
