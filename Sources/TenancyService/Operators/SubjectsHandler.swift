internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Subjects`: operators keep users from everything, and let them again.
struct SubjectsHandler: Tenancy_V1.SubjectsService {
  let core: TenancyCore

  func suspend(
    _ request: Tenancy_V1.SuspendRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Suspension {
    let user = try await core.requireAdministrator(call)
    // Anyone who does it stays, so that somebody is left to lift it.
    guard request.userId != user.userID else {
      throw ErrorCatalog.tenancy.invalid("user_id", "SELF", "must be somebody else")
    }
    try await core.requireUsers([request.userId], field: "user_id")
    return try await core.write(call, request, key: \.idempotencyKey) { _, tx in
      // Of two operators who suspend each other at the same time the second is suspended already.
      try core.requireAdministrator(user, tx)
      if let existing = try SuspensionTable.of(request.userId, in: tx) { return message(existing) }
      try PersonTable.note(person: request.userId, in: tx)
      let record = try SuspensionTable.suspend(
        SuspensionRecord(
          userID: request.userId,
          note: request.note,
          suspendedBy: user.userID,
          now: tx.now
        ),
        core.policy,
        in: tx
      )
      try tx.audit(
        "user.suspend",
        object: record.userID,
        scope: Forest.systemIdentifier,
        after: record.digest,
        detail: record.note
      )
      return message(record)
    }
  }

  func resume(
    _ request: Tenancy_V1.ResumeRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ResumeResponse {
    let user = try await core.requireAdministrator(call)
    return try await core.write(call, request, key: \.idempotencyKey) { _, tx in
      try core.requireAdministrator(user, tx)
      guard let record = try SuspensionTable.of(request.userId, in: tx) else {
        return .init(wasSuspended: false, revision: core.tokens.token(revision: tx.revision))
      }
      let revision = try SuspensionTable.resume(record, core.policy, in: tx)
      try tx.audit(
        "user.resume",
        object: record.userID,
        scope: Forest.systemIdentifier,
        before: record.digest
      )
      return .init(wasSuspended: true, revision: core.tokens.token(revision: revision))
    }
  }

  func listSuspended(
    _ request: Tenancy_V1.ListSuspendedRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListSuspendedResponse {
    _ = try await core.requireAdministrator(call)
    let asked = try core.asked(request, for: ["ListSuspended"], call.caller)
    let direction = ListDirection(request.sortBy, standard: .ascending)
    let rows = try await core.read { tx in
      try SuspensionTable.page(
        after: asked.cursor?[0],
        direction,
        skipping: asked.skippedCount,
        limit: asked.size + 1,
        in: tx
      )
    }
    let page = try core.page(of: rows, asked, after: { [$0.userID] }) { message($0) }
    return .init(suspensions: try await core.named(page.items), nextPageToken: page.nextToken)
  }

  private func message(_ record: SuspensionRecord) -> Tenancy_V1.Suspension {
    Tenancy_V1.Suspension(
      userId: record.userID,
      note: record.note,
      suspendedBy: record.suspendedBy,
      suspendedAt: .init(milliseconds: record.suspendedAt),
      revision: core.tokens.token(revision: record.revision)
    )
  }
}
