internal import RPCKit

/// The accounts that each app of a holder has; every movement takes from one and gives to another.
enum PointsAccount: String, Sendable, CaseIterable {
  /// Where earned points come from: the only account below zero, by as much as was ever earned.
  case issued
  /// The balance that can be redeemed.
  case balance
  /// The points that requests hold until they are decided.
  case held
  /// The redeemed points.
  case redeemed
}

/// Why points move; the raw value is what the store keeps.
enum PointsEntryKind: String, Sendable, CaseIterable {
  case earn
  case redeem
  case reverseEarn = "reverse_earn"
  case reverseRedeem = "reverse_redeem"
  /// A purchase gave them.
  case grant
  /// A refund of the purchase took them back.
  case reverseGrant = "reverse_grant"
  /// A request holds them.
  case hold
  /// A request that was decided or has expired holds them no longer.
  case release

  /// The account that points leave, and the one they enter.
  var accounts: (debit: PointsAccount, credit: PointsAccount) {
    switch self {
    case .earn, .grant: (.issued, .balance)
    case .redeem: (.balance, .redeemed)
    case .hold: (.balance, .held)
    case .release: (.held, .balance)
    case .reverseEarn, .reverseGrant: (.balance, .issued)
    case .reverseRedeem: (.redeemed, .balance)
    }
  }

  /// The kind that reverses it; nil for a reversal itself, and for what only the store or a request takes back.
  var reversal: PointsEntryKind? {
    switch self {
    case .earn: .reverseEarn
    case .redeem: .reverseRedeem
    case .reverseEarn, .reverseRedeem, .grant, .reverseGrant, .hold, .release: nil
    }
  }
}

/// A movement of points between two accounts of one app.
struct PointsPosting: Hashable, Sendable {
  var kind: PointsEntryKind
  var app: String
  /// Always above zero.
  var points: Int64
  /// Minutes in the app, or of reward time.
  var minutes: Int64
  /// The rate at the time: history is not counted again when a rule changes.
  var pointsPerMinute: Int64
  /// The purpose of the reward time.
  var reward = ""
  /// The transaction that this reverses.
  var reversedID: String?
}

/// A posting as it is in the ledger.
struct PointsEntry: Hashable, Sendable {
  /// Counts the holder's entries from 1, without gaps.
  var number: Int64
  var transactionID: String
  var posting: PointsPosting
  /// Points of the app after it.
  var balance: Int64
  /// The user who made it.
  var actorID: String
  /// Milliseconds since 1970.
  var occurredAt: Int64
}

extension [PointsEntry] {
  /// The reversal of a transaction whose entries these are, while `minutesLeft` whole minutes of its
  /// reward have not run out.
  ///
  /// Earned points are taken back whole. Redeemed points are given back for minutes that are left and
  /// no more, those of the last part first. What was released to be redeemed stays so.
  func reversal(minutesLeft: Int64) throws(RPCError) -> [PointsPosting] {
    var minutesLeft = minutesLeft
    var postings: [PointsPosting] = []
    let made = filter { $0.posting.kind != .release }
    guard !made.isEmpty else { throw PointsError.notReversible(first?.transactionID ?? "") }
    for entry in made.reversed() {
      guard let kind = entry.posting.kind.reversal else {
        throw PointsError.notReversible(entry.transactionID)
      }
      var posting = entry.posting
      posting.kind = kind
      posting.reversedID = entry.transactionID
      if kind == .reverseRedeem {
        posting.minutes = Swift.min(posting.minutes, minutesLeft)
        posting.points = posting.minutes * posting.pointsPerMinute
        minutesLeft -= posting.minutes
      }
      if posting.points > 0 { postings.append(posting) }
    }
    guard !postings.isEmpty else { throw PointsError.rewardUsed(first?.transactionID ?? "") }
    return postings
  }
}
