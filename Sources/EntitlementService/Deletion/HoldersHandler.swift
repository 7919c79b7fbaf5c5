internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `entitlement.v1.Holders`: what is done here when an account is deleted, or an entity.
///
/// Of erasing a user a part is done with each call; where to go on is in the answer, which AuthService keeps.
struct HoldersHandler: Entitlement_V1.HoldersService {
  let core: EntitlementCore
  let tombstones: Tombstones

  /// The steps after the user's own rows went, as the first word of cursors.
  private enum Part: String {
    case mentions, log
  }

  func eraseUser(
    _ request: Entitlement_V1.EraseUserRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.EraseUserResponse {
    _ = try call.requireService()
    let words = request.cursor.split(separator: " ", maxSplits: 1).map(String.init)
    switch words.first.flatMap({ Part(rawValue: $0) }) {
    case nil:
      let (erasure, tombstones) = (UserErasure(userID: request.userId), tombstones)
      core.names.forget(request.userId)
      try await core.change(call) { tx, changes in
        try erasure.run(pseudonym: request.pseudonym, tombstones, in: tx, changes)
      }
      return .init(cursor: Part.mentions.rawValue)
    case .mentions:
      let start = words.count > 1 ? MentionEraser.Cursor(text: words[1]) : nil
      let eraser = MentionEraser(core.store, replacing: request.userId, by: request.pseudonym)
      let cursor = try await eraser.advance(from: start ?? .start)
      return .init(
        cursor: cursor.map { "\(Part.mentions.rawValue) \($0.text)" } ?? Part.log.rawValue
      )
    case .log:
      let isDone = try await core.database.truncateLog()
      return .init(finished: isDone, cursor: isDone ? "" : Part.log.rawValue)
    }
  }

  func end(
    _ request: Entitlement_V1.EndHolderRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.EndHolderResponse {
    _ = try call.requireService()
    let (end, tombstones) = (HolderEnd(holderID: request.holderId), tombstones)
    try await core.change(call) { tx, changes in try end.run(tombstones, in: tx, changes) }
    return .init()
  }
}
