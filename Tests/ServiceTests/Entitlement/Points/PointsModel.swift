import PeerContracts
import EntitlementContracts

/// The points of one child as a few lines of arithmetic, to compare the service with.
///
/// For a clock that stands still, so that no reward time is used up.
struct PointsModel {
  /// What a call asks for.
  enum Deed: Sendable {
    case earn(app: String, minutes: Int64)
    case redeem(parts: [(app: String, points: Int64?)], reward: String)
    case reverse(id: String)
  }

  /// An entry, as far as a call decides it.
  struct Line: Hashable {
    var app: String
    /// What the balance grows by.
    var change: Int64
    var minutes: Int64
    var balance: Int64
  }

  let rates: [String: (earns: Int64, costs: Int64)]
  private(set) var balances: [String: Int64] = [:]
  private(set) var rewardMinutes: [String: Int64] = [:]
  private var done: [String: (deed: Deed, lines: [Line])] = [:]
  private var reversed: [String: String] = [:]

  init(rates: [String: (earns: Int64, costs: Int64)]) { self.rates = rates }

  /// The lines that a deed makes as the transaction `id`; nil when it must be refused.
  mutating func apply(_ deed: Deed, as id: String) -> [Line]? {
    let changes: [(app: String, change: Int64, minutes: Int64)]
    switch deed {
    case .earn(let app, let minutes):
      changes = [(app, minutes * (rates[app]?.earns ?? 0), minutes)]
    case .redeem(let parts, let reward):
      changes = parts.map { app, points in
        let cost = rates[app]?.costs ?? 1
        let minutes = (points ?? balances[app] ?? 0) / cost
        return (app, -minutes * cost, minutes)
      }
      for (part, change) in zip(parts, changes) {
        guard change.minutes > 0, part.points ?? 0 <= balances[part.app] ?? 0 else { return nil }
      }
      rewardMinutes[reward, default: 0] += changes.reduce(0) { $0 + $1.minutes }
    case .reverse(let original):
      guard let (deed, lines) = done[original], reversed[original] == nil else { return nil }
      switch deed {
      case .earn: changes = lines.map { ($0.app, -$0.change, $0.minutes) }
      case .redeem(_, let reward):
        changes = lines.reversed().map { ($0.app, -$0.change, $0.minutes) }
        rewardMinutes[reward, default: 0] -= changes.reduce(0) { $0 + $1.minutes }
      case .reverse: return nil
      }
      guard changes.allSatisfy({ balances[$0.app, default: 0] + $0.change >= 0 }) else {
        return nil
      }
      reversed[original] = id
    }
    let lines = changes.map { app, change, minutes in
      balances[app, default: 0] += change
      return Line(app: app, change: change, minutes: minutes, balance: balances[app] ?? 0)
    }
    done[id] = (deed, lines)
    return lines
  }
}

extension PointsModel.Line {
  init(_ entry: Entitlement_V1.PointsEntry) {
    let isGain = entry.kind == .earn || entry.kind == .reverseRedeem
    self.init(
      app: entry.app,
      change: isGain ? entry.points : -entry.points,
      minutes: entry.minutes,
      balance: entry.balance
    )
  }
}
