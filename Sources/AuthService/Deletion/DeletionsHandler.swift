internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// Deleting one's account.
struct DeletionsHandler: Auth_V1.DeletionsService {
  let deletions: DeletionSaga

  private var core: AuthCore { deletions.core }

  func deleteAccount(
    _ request: Auth_V1.DeleteAccountRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Deletion {
    let identity = try call.requireUser()
    return try await deletions.reports.announcing.alone(identity.userID) {
      try await delete(identity, request, call)
    }
  }

  private func delete(
    _ identity: UserIdentity,
    _ request: Auth_V1.DeleteAccountRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Deletion {
    // Asked before it is announced, so that a refusal writes nothing, and again as erasing begins.
    if !request.evenIfLast {
      try await deletions.erasure.requireNoSoleHolding(of: identity.userID)
    }
    // From here on no other owner can leave because this one is there.
    let report = try await deletions.reports.announceDeletion(
      of: identity.userID,
      refusingLast: !request.evenIfLast
    )
    do {
      return try await begin(identity, report, request, call)
    } catch {
      await deletions.reports.withdraw(report)
      throw error
    }
  }

  private func begin(
    _ identity: UserIdentity,
    _ report: AccountReport,
    _ request: Auth_V1.DeleteAccountRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Deletion {
    let (core, now) = (core, core.clock.now)
    // Nil when the write only repeats an answer.
    let ended = Lock<[Revocation]?>(nil)
    let answer = try await core.writeOnce(request.idempotencyKey, request, call) { tx in
      do {
        try core.requireActiveSession(of: identity, now: now, in: tx)
      } catch {
        // It lived when this call began, and a deletion ends all sessions: of two calls at once the second
        // one has what it asked for.
        guard let begun = try DeletionTable.find(of: identity.userID, in: tx) else { throw error }
        return Auth_V1.Deletion(begun)
      }
      let user = try UserTable.require(identity.userID, in: tx)
      // Another state of the account was reported since, such as that it is disabled.
      guard try AccountReportTable.version(of: user.id, in: tx) == report.version else {
        throw DeletionError.overtaken
      }
      let begun = try deletions.begin(of: user, now: now, in: tx)
      try AccountReportTable.finishAll(of: user.id, in: tx)
      ended.withLock { $0 = begun.ended }
      return Auth_V1.Deletion(begun.deletion)
    }
    if let ended = ended.withLock({ $0 }) {
      core.countRevoked(ended)
    } else {
      await deletions.reports.withdraw(report)
    }
    deletions.wake()
    core.outbox.wake()
    return answer
  }

  func getDeletion(
    _ request: Auth_V1.GetDeletionRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Deletion {
    let id = request.deletionId
    // Without an identifier only of oneself: nobody else's is found by a user.
    let userID = try id.isEmpty ? call.requireUser().userID : ""
    let found = try await core.store.read { tx in
      try id.isEmpty ? DeletionTable.find(of: userID, in: tx) : DeletionTable.find(id, in: tx)
    }
    guard let found else { throw DeletionError.notFound }
    return .init(found)
  }

  func cancelDeletion(
    _ request: Auth_V1.CancelDeletionRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.CancelDeletionResponse {
    let identity = try call.requireUser()
    let wasPending = try await core.writeInSession(call) { identity, _, tx -> Bool in
      guard let deletion = try DeletionTable.find(of: identity.userID, in: tx) else { return false }
      guard deletion.step.canBeCancelled else { throw DeletionError.underWay }
      try DeletionTable.delete(deletion.id, in: tx)
      try tx.audit("user.cancel_deletion", object: identity.userID, detail: deletion.id)
      return true
    }
    await deletions.reports.tellSoon(of: identity.userID)
    return .init(wasPending: wasPending)
  }
}

extension Auth_V1.Deletion {
  init(_ deletion: DeletionRecord) {
    let state: Auth_V1.DeletionState =
      switch deletion.step {
      case .waiting: .waiting
      case .blocked: .blocked
      case .tenancy, .entitlement, .account, .log: .erasing
      case .done: .done
      }
    let step: Auth_V1.DeletionStep =
      switch deletion.step {
      case .waiting, .done: .unspecified
      case .blocked, .tenancy: .tenancy
      case .entitlement: .entitlement
      case .account: .account
      case .log: .log
      }
    self.init(
      id: deletion.id,
      state: state,
      step: step,
      requestedAt: .init(milliseconds: deletion.requested),
      eraseAt: .init(milliseconds: deletion.eraseAt),
      finishedAt: deletion.finished.map { .init(milliseconds: $0) },
      failedAttempts: UInt32(clamping: deletion.failedCount),
      nextAttemptAt: deletion.finished == nil
        ? Google_Protobuf.Timestamp(milliseconds: deletion.due) : nil
    )
  }
}
