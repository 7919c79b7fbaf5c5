internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension PointsHandler {
  /// The outcome for a redemption whose points take approval.
  enum Redemption {
    /// It is begun anew, once it is known whether the caller may approve.
    case unlessApprovalIsRequired
    /// It is done: the caller approves it.
    case approving
    /// It becomes a request, also where no rule asks for one.
    case asking
  }

  /// A rule requires approval, and it is not known whether the caller may give it.
  struct ApprovalRequired: Error {}

  /// Redeems points, or holds them for a request.
  func redeem(
    _ request: Entitlement_V1.RedeemPointsRequest,
    _ redemption: Redemption,
    _ call: CallContext
  ) async throws -> Entitlement_V1.PointsTransaction {
    let (holder, expiry) = (request.holderId, expiry)
    let requestID = core.identifiers.make(.pointsRequest)
    let right = redemption == .approving ? Deed.approve : .redeem
    return try await post(
      .redeem,
      needing: right,
      of: holder,
      request.idempotencyKey,
      request,
      call
    ) { draft, tx in
      try expiry.run(of: holder, in: tx)
      var postings: [PointsPosting] = []
      for part in request.parts {
        guard
          let (rule, balance) = try PointsRuleTable.loadWithBalance(part.app, of: holder, in: tx)
        else { throw PointsError.ruleMissing(app: part.app) }
        var amount: Int64?
        if case .points(let points) = part.amount { amount = points }
        postings.append(try rule.redeeming(amount, of: balance, for: request.reward))
        if rule.requiresApproval, redemption == .unlessApprovalIsRequired {
          throw ApprovalRequired()
        }
      }
      guard redemption == .asking else {
        return try draft.redeem(postings, for: request.reward, in: tx)
      }
      return try draft.hold(postings, for: request.reward, as: requestID, in: tx)
    }
  }
}
