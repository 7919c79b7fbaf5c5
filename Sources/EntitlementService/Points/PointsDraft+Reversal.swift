internal import ServiceKit

extension PointsDraft {
  /// Takes transactions back, all or none, without those that were taken back before.
  ///
  /// The newest goes first, as if nothing had come after it: what it gives back is there for those before it.
  func reverse(
    _ transactionIDs: [String],
    in tx: borrowing WriteTransaction
  ) throws -> Outcome {
    var originals: [[PointsEntry]] = []
    var done: [PointsEntry] = []
    for transactionID in transactionIDs {
      let original = try ledger.entries(of: transactionID, in: tx)
      guard !original.isEmpty else { throw EntitlementError.notFound }
      let reversal = try ledger.reversal(of: transactionID, in: tx)
      if reversal.isEmpty { originals.append(original) } else { done += reversal }
    }
    guard !originals.isEmpty else { return try repeated(done, in: tx) }
    originals.sort { $0[0].number > $1[0].number }
    let running = try RewardTable.running(of: ledger.holder, at: tx.now, in: tx)
    var times = Self.times(of: originals, among: running)
    var postings: [PointsPosting] = []
    for original in originals {
      let reward = original.redeemedReward ?? ""
      let minutesLeft = times[reward]?.minutesLeft(at: tx.now) ?? 0
      let reversal = try original.reversal(minutesLeft: minutesLeft)
      if original.redeemedReward != nil {
        times[reward]?.shorten(by: reversal.reduce(0) { $0 + $1.minutes })
      }
      postings += reversal
    }
    var outcome = try post(postings, in: tx)
    for time in times.values {
      try RewardTable.save(time, among: running, of: ledger.holder, in: tx)
    }
    outcome.reward = times.count == 1 ? times.values.first { $0.endsAt > tx.now } : nil
    return outcome
  }

  /// The time of each reward that transactions were redeemed for, unless it has run out.
  private static func times(
    of originals: [[PointsEntry]],
    among running: [RewardTime]
  ) -> [String: RewardTime] {
    let rewards = Set(originals.compactMap(\.redeemedReward))
    let found = running.filter { rewards.contains($0.reward) }
    return Dictionary(uniqueKeysWithValues: found.map { ($0.reward, $0) })
  }

  /// The last of the transactions that took everything back before, with the reward time now.
  private func repeated(
    _ reversals: [PointsEntry],
    in tx: borrowing WriteTransaction
  ) throws -> Outcome {
    let last = reversals.max { $0.number < $1.number }
    let entries = try ledger.entries(of: last?.transactionID ?? "", in: tx)
    let rewards = Set(
      entries.lazy.map(\.posting).filter { $0.kind == .reverseRedeem }.map(\.reward)
    )
    var outcome = Outcome(entries: entries, reward: nil, madeID: nil)
    if rewards.count == 1, let reward = rewards.first {
      outcome.reward = try RewardTable.load(reward, of: ledger.holder, in: tx)
    }
    return outcome
  }
}

extension [PointsEntry] {
  /// The purpose of the reward time that a transaction with these entries was redeemed for; nil if it is no
  /// redemption.
  fileprivate var redeemedReward: String? {
    first { $0.posting.kind == .redeem }?.posting.reward
  }
}
