internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `auth.v1.FamilyEnds`: what TenancyService has ended of families.
struct FamilyEndsHandler: Auth_V1.FamilyEndsService {
  let deletions: DeletionSaga

  private var core: AuthCore { deletions.core }

  /// Its identifiers are of one thing each, so what is kept for another kind is not found.
  func end(
    _ request: Auth_V1.EndOfFamilyRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.EndOfFamilyResponse {
    _ = try call.requireService()
    let (core, id) = (core, request.id)
    let now = core.clock.now
    let ended = try await core.store.write(call) { tx in
      var ended = try endSessions(ofPairing: id, now: now, in: tx)
      if try FamilyPinTable.delete(id, in: tx) { try tx.audit("family_pin.end", object: id) }
      if let account = try ChildAccountTable.find(ofChild: id, in: tx) {
        ended += try end(account, now: now, in: tx)
      }
      // What was begun before and is stored later finds it.
      if try !core.secrets.tombstones.contains(.holder(id), in: tx) {
        try core.secrets.tombstones.insert(.holder(id), in: tx)
      }
      return ended
    }
    core.countRevoked(ended)
    deletions.wake()
    return .init()
  }

  private func endSessions(
    ofPairing id: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    var ended: [Revocation] = []
    for session in try SessionTable.find(ofPairing: id, in: tx) {
      ended += try SessionTable.revoke([session.id], of: session.userID, now: now, in: tx)
      try tx.audit("child_session.end", object: session.userID, detail: session.childDevice)
    }
    return ended
  }

  /// Begins the deletion of a child's account, of which nobody could take it back: its managers are those who
  /// could manage the child.
  private func end(
    _ account: ChildAccountRecord,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    let user = try UserTable.find(account.userID, in: tx)
    guard let user, user.email.isEmpty else {
      if try ChildAccountTable.delete(account.userID, in: tx) {
        try tx.audit("child_account.release", object: account.userID)
      }
      return []
    }
    try MailTokenTable.deleteUnused(.takeOver, of: user.id, in: tx)
    return try deletions.begin(of: user, now: now, waiting: false, in: tx).ended
  }
}
