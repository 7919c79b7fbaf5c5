internal import PeerContracts
internal import EntitlementContracts
internal import RPCKit
internal import ServiceKit

extension SubscriptionsHandler {
  func redeem(
    _ request: Entitlement_V1.RedeemRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.RedeemResponse {
    // Users redeem for themselves and where they may buy, the billing system for everybody.
    let subject: Subject
    var right: EntitlementCore.NeededRight?
    if call.caller.user != nil {
      (subject, right) = try core.purchaser(request.subject, call)
    } else {
      subject = try await core.subject(request.subject, call)
    }
    guard let wanted = request.promotion else {
      throw PromotionError.required
    }
    // A guess is taken before it is known to be wrong, so that many at once are no way around.
    var guesser: [UInt8]?
    if case .code = wanted, let user = call.caller.user { guesser = Array(user.userID.utf8) }
    if let guesser, case .refused(let wait) = couponLimiter.take(guesser, now: core.clock.now) {
      metrics.couponRefusals.increment()
      throw PromotionError.tooManyCodes(retryAfter: .milliseconds(wait))
    }
    do {
      let answer = try await core.write(request.idempotencyKey, request, call, needing: right) {
        [catalogue] tx, changes in
        // Another catalogue may have come while this waited.
        try tx.rely(on: .catalog)
        return try Self.redeem(wanted, for: subject, catalogue.value, in: tx, changes)
      }
      if let guesser { couponLimiter.giveBack(guesser) }
      metrics.redeemed("done")
      return answer
    } catch {
      let isWrongCode = (error as? RPCError)?.reason == PromotionError.couponUnknown.reason
      if let guesser, !isWrongCode { couponLimiter.giveBack(guesser) }
      metrics.redeemed("refused")
      throw error
    }
  }

  /// Decides and redeems in one transaction, so that nobody comes between.
  private static func redeem(
    _ wanted: Entitlement_V1.RedeemRequest.PromotionOneOf,
    for subject: Subject,
    _ catalog: Catalog,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Entitlement_V1.RedeemResponse {
    let promotion = try find(wanted, in: catalog)
    let name = promotion.name
    guard promotion.subjectKinds.contains(subject.kind) else {
      throw PromotionError.forOthers(name)
    }
    guard try !RedemptionTable.contains(name, group: promotion.group, of: subject, in: tx)
    else {
      throw PromotionError.alreadyRedeemed(name)
    }
    guard promotion.isOpen(at: tx.now) else { throw PromotionError.closed(name) }
    if let countMax = promotion.countMax {
      guard try RedemptionTable.count(of: name, in: tx) < countMax else {
        throw PromotionError.exhausted(name)
      }
    }
    let running = try RedemptionTable.latest(of: subject, in: tx).filter { $0.endsAt > tx.now }
    guard running.count < Redemption.countMax else { throw PromotionError.redemptionLimit }
    let redemption = Redemption(
      promotion: name,
      group: promotion.group,
      redeemedAt: tx.now,
      endsAt: tx.now + promotion.duration
    )
    try RedemptionTable.insert(redemption, of: subject, in: tx)
    let version = try changes.raise(
      subject,
      because: promotion.kind == .trial ? .trial : .coupon,
      [PartChange(.init(.promotion, name), .began, endsAt: redemption.endsAt)],
      in: tx
    )
    try tx.audit(
      "promotion.redeem",
      object: subject.id,
      scope: subject.id,
      detail: "\(promotion.kind.rawValue) \(name), until \(redemption.endsAt), version \(version)"
    )
    return .init(promotion: promotion.wire(until: redemption.endsAt), version: version)
  }

  private static func find(
    _ wanted: Entitlement_V1.RedeemRequest.PromotionOneOf,
    in catalog: Catalog
  ) throws(RPCError) -> Promotion {
    switch wanted {
    case .trial(let name):
      guard let promotion = catalog.promotion(name), promotion.kind == .trial else {
        throw PromotionError.unknown(name)
      }
      return promotion
    case .code(let code):
      guard let promotion = catalog.coupon(code: code) else { throw PromotionError.couponUnknown }
      return promotion
    }
  }
}
