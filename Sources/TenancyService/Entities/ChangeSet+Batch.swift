internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Several entities that are created together.
extension ChangeSet {
  /// Creates entities in order, if the policy lets the caller; all of them or none.
  func create(
    _ drafts: [EntityDraft],
    _ tx: borrowing WriteTransaction
  ) throws -> [EntityRecord] {
    var records: [EntityRecord] = []
    for (place, draft) in drafts.enumerated() {
      do {
        records.append(try create(draft, tx).record)
      } catch let error as RPCError {
        guard let exceeded = error.cause as? LimitExceeded else { throw error }
        throw try refusal(exceeded, of: drafts, at: place, tx).error
      }
    }
    return records
  }

  /// The refusal of a batch: how many there were before it, how many it would add, and which is the first that
  /// does not fit.
  ///
  /// Of those after the first one, the caller's rights were not looked at: they count where another one does.
  private func refusal(
    _ exceeded: LimitExceeded,
    of drafts: [EntityDraft],
    at place: Int,
    _ tx: borrowing WriteTransaction
  ) throws -> LimitExceeded {
    let seen = Set(drafts[...place].map(\.parentID))
    var counts: [[String]: Bool] = [:]
    var (before, all): (Int64, Int64) = (0, 0)
    for (index, draft) in drafts.enumerated() where seen.contains(draft.parentID) {
      let key = [draft.type, draft.parentID]
      let isCounted =
        try counts[key]
        ?? {
          let room = try room(for: draft.type, under: draft.parentID, tx)
          return room?.limit == exceeded.limit && room?.holderID == exceeded.holder.id
        }()
      counts[key] = isCounted
      guard isCounted else { continue }
      all += 1
      if index < place { before += 1 }
    }
    var refusal = exceeded
    refusal.count -= before
    refusal.requested = all
    refusal.field = drafts[place].field
    return refusal
  }
}
