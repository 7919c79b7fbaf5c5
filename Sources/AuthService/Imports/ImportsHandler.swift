internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// Moving accounts in from another system.
struct ImportsHandler: Auth_V1.ImportsService {
  let core: AuthCore
  /// Where an import rests.
  let loop: any EventLoop

  func importUsers(
    _ requests: RequestStream<Auth_V1.ImportUsersRequest>,
    _ call: CallContext,
    to writer: ResponseWriter<Auth_V1.ImportUsersResponse>
  ) async throws {
    for try await request in requests {
      let pace = ImportPace(beginningAt: loop.preciseNow.nanoseconds, beside: surroundings)
      try await writer.write(try await importBatch(request, call))
      let rest = pace.rest(now: loop.preciseNow.nanoseconds, beside: surroundings)
      if rest > 0 { await loop.sleep(.nanoseconds(rest)) }
    }
  }

  private var surroundings: ImportPace.Surroundings {
    .init(
      writeCount: core.store.writeCount,
      areHashesWaiting: core.pool.waitingCount > 0
    )
  }

  func getImport(
    _ request: Auth_V1.GetImportRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ImportProgress {
    let progress = try await core.store.read { tx in
      try ImportTable.progress(of: request.run, request.source, in: tx)
    }
    return .init(progress)
  }

  /// Imports a batch in one transaction, in which the caller is an operator with a living session.
  func importBatch(
    _ request: Auth_V1.ImportUsersRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ImportUsersResponse {
    let caller = try call.requireUser()
    let (core, now) = (core, core.clock.now)
    // Before the transaction, which others wait for.
    let batch = ImportBatch(request, by: call.caller, core, now: now)
    // Before a password of them can be checked.
    let steps = core.passwordWork.unknown(Set(batch.forms.map { .foreign($0) }))
    let response = try await core.permissions.confirming(
      .administration,
      of: caller.userID,
      domain: ErrorCatalog.auth.domain
    ) { right in
      try await core.store.write(call) { tx in
        try right.requireCurrent()
        try core.requireActiveSession(of: caller, now: now, in: tx)
        if request.dryRun { return try batch.rehearse(in: tx) }
        try PasswordWorkTable.insert(steps, in: tx)
        return try batch.insert(in: tx)
      }
    }
    if !request.dryRun { core.passwordWork.include(steps) }
    if !request.dryRun { count(response.results) }
    return response
  }

  private func count(_ results: [Auth_V1.ImportResult]) {
    for result in results {
      let outcome =
        switch result.outcome {
        case .created: "created"
        case .unchanged: "unchanged"
        default: "refused"
        }
      core.metrics.importedRows.series(outcome).increment()
    }
  }
}
