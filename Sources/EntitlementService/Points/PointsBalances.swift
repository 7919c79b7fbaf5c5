internal import PeerContracts
internal import ServiceKit

/// The points of a holder by app, and what they are worth.
struct PointsBalances: Sendable {
  /// Sorted by app.
  let wire: [Entitlement_V1.PointsBalance]
  /// The sum of all points; there are too few to overflow.
  let total: Int64

  /// Reads them.
  init(of holder: String, in tx: borrowing some Queryable) throws {
    let rules = try PointsRuleTable.all(of: holder, in: tx)
    let (points, held) = try PointsLedger(holder: holder).balances(in: tx)
    let known = Dictionary(rules.map { ($0.app, $0) }) { first, _ in first }
    // Points that were bought need no rule.
    var apps = Set(known.keys)
    for (app, count) in points where count > 0 { apps.insert(app) }
    for (app, count) in held where count > 0 { apps.insert(app) }
    wire = apps.sorted().map { app in
      Entitlement_V1.PointsBalance(
        app: app,
        points: points[app] ?? 0,
        rewardMinutes: known[app]?.rewardMinutes(for: points[app] ?? 0) ?? 0,
        heldPoints: held[app] ?? 0
      )
    }
    total = points.values.reduce(0, +)
  }
}
