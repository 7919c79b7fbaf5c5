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
      let pace = ImportPace(
        beginningAt: loop.preciseNow.nanoseconds,
        writeCount: core.store.writeCount
      )
      try await writer.write(try await importBatch(request, call))
      let rest = pace.rest(
        now: loop.preciseNow.nanoseconds,
        writeCount: core.store.writeCount
      )
      if rest > 0 { await loop.sleep(.nanoseconds(rest)) }
    }
  }

  func getImport(
    _ request: Auth_V1.GetImportRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ImportProgress {
    let progress = try await core.store.read { tx in
      try ImportTable.progress(of: request.run, request.source, in: tx)
    }
    return .init(
      nextPosition: UInt64(clamping: progress.next),
      created: UInt64(clamping: progress.created),
      unchanged: UInt64(clamping: progress.unchanged),
      refused: UInt64(clamping: progress.refused)
    )
  }

  /// A row that was read: an account that could be made, or why not.
  private typealias Reading = Result<ImportCandidate, ImportCandidate.Refusal>

  /// Thrown to undo what a dry run has done.
  private struct DryRunOver: Error {}

  /// Imports a batch in one transaction, in which the caller is an operator with a living session.
  func importBatch(
    _ request: Auth_V1.ImportUsersRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ImportUsersResponse {
    let caller = try call.requireUser()
    let (core, now) = (core, core.clock.now)
    // Before the transaction, which others wait for.
    let readings = request.rows.map { row in
      Reading { () throws(ImportCandidate.Refusal) in
        try ImportCandidate(row, vouches: request.vouchForAddresses, core)
      }
    }
    // Before a password of them can be checked.
    let forms = Set(readings.compactMap { try? $0.get().form }).compactMap { ForeignForm($0) }
    let steps = core.passwordWork.unknown(Set(forms.map { .foreign($0) }))
    let response = try await core.permissions.confirming(
      .administration,
      of: caller.userID,
      domain: ErrorCatalog.auth.domain
    ) { right in
      try await core.store.write(call) { tx in
        try right.requireCurrent()
        try core.requireActiveSession(of: caller, now: now, in: tx)
        if request.dryRun {
          return try Self.rehearse(request, readings, core, by: call.caller, now: now, in: tx)
        }
        try PasswordWorkTable.insert(steps, in: tx)
        return try Self.insert(request, readings, core, by: call.caller, now: now, in: tx)
      }
    }
    if !request.dryRun { core.passwordWork.include(steps) }
    if !request.dryRun { count(response.results) }
    return response
  }

  /// Does it all, and undoes it.
  private static func rehearse(
    _ request: Auth_V1.ImportUsersRequest,
    _ readings: [Reading],
    _ core: AuthCore,
    by caller: Caller,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Auth_V1.ImportUsersResponse {
    var results: [Auth_V1.ImportResult] = []
    do {
      try tx.attempt {
        results = try rows(request, readings, core, by: caller, now: now, in: tx)
        throw DryRunOver()
      }
    } catch is DryRunOver {}
    // Identifiers of accounts that are not made mean nothing.
    for index in results.indices where results[index].outcome == .created {
      results[index].userId = ""
    }
    // It tells which addresses have accounts.
    try tx.audit("import.rehearse", object: request.source, detail: "\(results.count) rows")
    let progress = try ImportTable.progress(of: request.run, request.source, in: tx)
    return .init(
      position: request.position,
      results: results,
      nextPosition: UInt64(clamping: progress.next)
    )
  }

  private static func insert(
    _ request: Auth_V1.ImportUsersRequest,
    _ readings: [Reading],
    _ core: AuthCore,
    by caller: Caller,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Auth_V1.ImportUsersResponse {
    var progress = try ImportTable.progress(of: request.run, request.source, in: tx)
    let position = Int64(clamping: request.position)
    // Where a run goes on means nothing if rows before that may be missing.
    guard position <= progress.next else { throw ImportError.outOfOrder(next: progress.next) }
    let results = try rows(request, readings, core, by: caller, now: now, in: tx)
    let isRepeated = position < progress.next
    progress.next = max(progress.next, position + Int64(results.count))
    let created = results.count { $0.outcome == .created }
    let unchanged = results.count { $0.outcome == .unchanged }
    let refused = results.count - created - unchanged
    // Of a batch that is sent again only what is new counts.
    progress.created += Int64(created)
    if !isRepeated {
      progress.unchanged += Int64(unchanged)
      progress.refused += Int64(refused)
    }
    try ImportTable.update(progress, of: request.run, request.source, now: now, in: tx)
    try tx.audit(
      "import.batch",
      object: request.source,
      detail: "run \(request.run) from \(position): \(created) created, \(unchanged) unchanged, "
        + "\(refused) refused"
    )
    return .init(
      position: request.position,
      results: results,
      nextPosition: UInt64(clamping: progress.next)
    )
  }

  private static func rows(
    _ request: Auth_V1.ImportUsersRequest,
    _ readings: [Reading],
    _ core: AuthCore,
    by caller: Caller,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Auth_V1.ImportResult] {
    var results: [Auth_V1.ImportResult] = []
    results.reserveCapacity(readings.count)
    for reading in readings {
      switch reading {
      case .failure(let refusal): results.append(.init(outcome: refusal.outcome))
      case .success(let candidate):
        results.append(try insert(candidate, request.source, core, by: caller, now: now, in: tx))
      }
    }
    return results
  }

  /// Makes the account of a row, unless it was made before or must not be made.
  ///
  /// Everything that keeps an account from being made is asked here, in the transaction that makes it.
  private static func insert(
    _ candidate: ImportCandidate,
    _ source: String,
    _ core: AuthCore,
    by caller: Caller,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Auth_V1.ImportResult {
    if let imported = try ImportTable.find(source, candidate.sourceID, in: tx) {
      let isSame = Digests.areEqual(imported.content, candidate.content)
      return .init(outcome: isSame ? .unchanged : .contentDiffers, userId: imported.userID)
    }
    let user = candidate.user
    guard try !UserTable.isTaken(user.address, now: now, in: tx) else {
      return .init(outcome: .emailTaken)
    }
    // The list may be older than the deletion, and have an address that the account had before.
    let tombstones = core.secrets.tombstones
    for name in [
      Tombstones.Name.address(user.address.key), .address(user.address.formerKey),
      .imported(source: source, id: candidate.sourceID),
    ] {
      guard try !tombstones.contains(name, in: tx) else { return .init(outcome: .erased) }
    }
    try UserTable.insert(user, password: candidate.password, in: tx)
    try ImportTable.insert(
      .init(content: candidate.content, userID: user.id),
      source,
      candidate.sourceID,
      in: tx
    )
    if candidate.isDisabled {
      try DisablementTable.insert(
        .init(
          userID: user.id,
          reason: "was disabled at \(source)",
          actor: caller.description,
          since: now
        ),
        in: tx
      )
    }
    try tx.audit("user.import", object: user.id, detail: source)
    return .init(outcome: .created, userId: user.id)
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

enum ImportError {
  /// A batch that begins after the row with which its run goes on.
  static func outOfOrder(next: Int64) -> RPCError {
    ErrorCatalog.auth.precondition(
      "IMPORT_OUT_OF_ORDER",
      "position: earlier rows are missing; continue at \(next)",
      ["next_position": "\(next)"]
    )
  }
}
