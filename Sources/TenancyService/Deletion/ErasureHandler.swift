internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Erasure`: what is done here when an account is deleted.
///
/// A part of the work with each call, and where to go on is in the answer: AuthService keeps that, so nothing
/// is remembered here but that the user is gone.
struct ErasureHandler: Tenancy_V1.ErasureService {
  let core: TenancyCore
  let tombstones: Tombstones
  let refusals: RefusalTally

  /// The parts of an erasure, as the first word of cursors.
  private enum Part: String {
    case documents, mentions, log
  }

  /// Transactions of documents in one call.
  private static let documentBatchCountMax = 10

  func listSoleHoldings(
    _ request: Tenancy_V1.ListSoleHoldingsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListSoleHoldingsResponse {
    _ = try call.requireService()
    let sole = try await core.read { tx in
      try SoleHolding.all(of: request.userId, core.policy, now: core.clock.now, tx)
    }
    return .init(
      holdings: sole.prefix(SoleHolding.namedCountMax).map(\.message),
      count: UInt32(clamping: sole.count)
    )
  }

  /// Sets the state of an account, unless a newer one was reported.
  ///
  /// In the one writer: of two owners who ask to be deleted at once the second is refused.
  func setAccountState(
    _ request: Tenancy_V1.SetAccountStateRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.SetAccountStateResponse {
    _ = try call.requireService()
    let (policy, tombstones) = (core.policy, tombstones)
    let state = AccountState(
      userID: request.userId,
      version: Int64(clamping: request.version),
      isDisabled: request.disabled,
      isDeletionBegun: request.deletionBegun
    )
    return try await core.change(call) { tx in
      guard try !tombstones.contains(.user(state.userID), in: tx) else {
        return .init(version: request.version)
      }
      if let known = try AccountStateTable.version(of: state.userID, in: tx), known > state.version
      {
        return .init(version: UInt64(clamping: known))
      }
      if request.refuseLast, state.isDeletionBegun {
        let sole = try SoleHolding.all(of: state.userID, policy, now: tx.now, tx)
        guard sole.isEmpty else { throw DeletionError.mustHandOver(sole) }
      }
      try AccountStateTable.put(state, in: tx)
      return .init(version: request.version)
    }
  }

  func eraseUser(
    _ request: Tenancy_V1.EraseUserRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.EraseUserResponse {
    _ = try call.requireService()
    let words = request.cursor.split(separator: " ", maxSplits: 1).map(String.init)
    switch words.first.flatMap({ Part(rawValue: $0) }) {
    case nil:
      try await end(request, call)
      return next(.documents)
    case .documents: return next(try await eraseDocuments(request, call) ? .mentions : .documents)
    case .mentions: return try await eraseMentions(request, from: words.count > 1 ? words[1] : "")
    case .log:
      return try await core.database.truncateLog() ? .init(finished: true) : next(.log)
    }
  }

  private func next(_ part: Part, _ rest: String = "") -> Tenancy_V1.EraseUserResponse {
    .init(cursor: rest.isEmpty ? part.rawValue : "\(part.rawValue) \(rest)")
  }

  private func end(_ request: Tenancy_V1.EraseUserRequest, _ call: CallContext) async throws {
    let changes = ChangeSet(core: core, call: call, user: .named(request.pseudonym))
    let (addresses, tombstones) = (request.addresses.map { EmailAddress($0) }, tombstones)
    try await core.change(call) { tx in
      try changes.erase(request.userId, addresses: addresses, tombstones, tx)
    }
  }

  /// Erases documents for a while; whether none is left.
  private func eraseDocuments(
    _ request: Tenancy_V1.EraseUserRequest,
    _ call: CallContext
  ) async throws -> Bool {
    for _ in 0..<Self.documentBatchCountMax {
      let count = try await core.change(call) { tx in
        try UserDocuments.erase(request.userId, limit: Database.purgeCountMax, tx)
      }
      if count == 0 { return true }
    }
    return false
  }

  private func eraseMentions(
    _ request: Tenancy_V1.EraseUserRequest,
    from text: String
  ) async throws -> Tenancy_V1.EraseUserResponse {
    let start = MentionEraser.Cursor(text: text)
    if start == nil {
      // What was refused lately is not in the store yet, and would come there afterwards.
      await refusals.flush(core.store)
      try await core.changeOwn { tx in
        try tx.forgetAnswers(to: request.userId, naming: request.addresses)
      }
    }
    // Documents are their users' own, no matter whom they name.
    let eraser = MentionEraser(
      core.store,
      replacing: request.userId,
      by: request.pseudonym,
      sparing: ["document", "legacy_document"]
    )
    let cursor = try await eraser.advance(from: start ?? .start)
    return cursor.map { next(.mentions, $0.text) } ?? next(.log)
  }
}
