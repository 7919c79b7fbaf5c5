internal import PeerContracts
internal import EntitlementContracts
internal import RPCKit
internal import ServiceKit

/// A transaction of the points ledger that is being made, inside a write transaction.
struct PointsDraft {
  /// The outcome.
  struct Outcome {
    /// The entries, and the identifier of the transaction that they are of.
    var entries: [PointsEntry]
    /// The reward time after it, if it is about any and it has not run out.
    var reward: RewardTime?
    /// The transaction that was made; nil when what was asked for was there already.
    var madeID: String?
    /// The request that the transaction holds the points of.
    var request: PointsRequest?

    /// For the audit record: how much, and not which app.
    var summary: String {
      let points = entries.reduce(0) { $0 + $1.posting.points }
      return "\(points) points, \(entries.count) entries\(reversed)"
    }

    /// Which transaction was reversed, and how many others with it.
    private var reversed: String {
      guard let first = entries.first?.posting.reversedID else { return "" }
      let others = Set(entries.compactMap(\.posting.reversedID)).count - 1
      return ", reverses \(first)" + (others > 0 ? " and \(others) more" : "")
    }

    /// The transaction as it is sent.
    func wire(at now: Int64) -> Entitlement_V1.PointsTransaction {
      .init(
        id: entries.first?.transactionID ?? "",
        entries: entries.map(\.wire),
        activeReward: reward?.wire(at: now),
        request: request?.wire(entries, at: now)
      )
    }
  }

  let ledger: PointsLedger
  /// The identifier that the transaction gets.
  let id: String
  /// The user who makes it.
  let actorID: String

  /// Adds postings that have nothing to do with reward time.
  func post(
    _ postings: [PointsPosting],
    in tx: borrowing WriteTransaction
  ) throws -> Outcome {
    Outcome(
      entries: try ledger.post(postings, as: id, by: actorID, in: tx),
      reward: nil,
      madeID: id
    )
  }

  /// Redeems points, whose minutes begin at once or extend what runs.
  func redeem(
    _ postings: [PointsPosting],
    for reward: String,
    in tx: borrowing WriteTransaction
  ) throws -> Outcome {
    let running = try RewardTable.running(of: ledger.holder, at: tx.now, in: tx)
    var time =
      running.first { $0.reward == reward } ?? RewardTime(reward: reward, endsAt: tx.now)
    let redeemed = postings.filter { $0.kind == .redeem }
    try time.extend(by: redeemed.reduce(0) { $0 + $1.minutes }, at: tx.now)
    // Its questions come before anything is written.
    var outcome = try post(postings, in: tx)
    try RewardTable.save(time, among: running, of: ledger.holder, in: tx)
    outcome.reward = time
    return outcome
  }
}
