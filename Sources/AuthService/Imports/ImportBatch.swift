internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The rows of one request of an import, which become accounts in one transaction.
struct ImportBatch: Sendable {
  private let request: Auth_V1.ImportUsersRequest
  /// Each row: an account that could be made, or why not.
  private let readings: [Result<ImportCandidate, ImportCandidate.Refusal>]
  private let caller: Caller
  private let core: AuthCore
  private let now: Int64

  /// Thrown to undo what a dry run has done.
  private struct DryRunOver: Error {}

  /// Reads the rows.
  init(_ request: Auth_V1.ImportUsersRequest, by caller: Caller, _ core: AuthCore, now: Int64) {
    (self.request, self.caller, self.core, self.now) = (request, caller, core, now)
    readings = request.rows.map { row in
      Result { () throws(ImportCandidate.Refusal) in
        try ImportCandidate(row, vouches: request.vouchForAddresses, core)
      }
    }
  }

  /// The forms of the hashes in it.
  var forms: [ForeignForm] {
    Set(readings.compactMap { try? $0.get().form }).compactMap { ForeignForm($0) }
  }

  /// Does it all, and undoes it.
  func rehearse(in tx: borrowing WriteTransaction) throws -> Auth_V1.ImportUsersResponse {
    var results: [Auth_V1.ImportResult] = []
    do {
      try tx.attempt {
        results = try rows(in: tx)
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

  /// Makes the accounts, and notes how far the run has come.
  func insert(in tx: borrowing WriteTransaction) throws -> Auth_V1.ImportUsersResponse {
    var progress = try ImportTable.progress(of: request.run, request.source, in: tx)
    let position = Int64(clamping: request.position)
    // Where a run goes on means nothing if rows before that may be missing.
    guard position <= progress.next else { throw ImportError.outOfOrder(next: progress.next) }
    let results = try rows(in: tx)
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

  private func rows(in tx: borrowing WriteTransaction) throws -> [Auth_V1.ImportResult] {
    var results: [Auth_V1.ImportResult] = []
    results.reserveCapacity(readings.count)
    for reading in readings {
      switch reading {
      case .failure(let refusal): results.append(.init(outcome: .init(refusal)))
      case .success(let candidate):
        results.append(try insert(candidate, in: tx))
      }
    }
    return results
  }

  /// Makes the account of a row, unless it was made before or must not be made.
  ///
  /// Everything that keeps an account from being made is asked here, in the transaction that makes it.
  private func insert(
    _ candidate: ImportCandidate,
    in tx: borrowing WriteTransaction
  ) throws -> Auth_V1.ImportResult {
    let source = request.source
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
}
