internal import ServiceKit

/// Asks for rights of buyers that could not be asked for when their purchases were renewed.
struct UnprovenBuyers: Sendable {
  let core: EntitlementCore
  let catalogue: CurrentCatalog
  let settings: PurchaseSettings

  /// Bindings that one run asks about.
  private static let countMax = 100

  /// Asks once; stops where TenancyService cannot be asked.
  func ask() async throws {
    let open = try await core.store.read { tx in
      try PurchaseBindingTable.unproven(count: Self.countMax, in: tx)
    }
    for bound in open {
      guard let binding = bound.binding else { continue }
      let right = BuyerRight(buyerID: binding.buyerID, subject: binding.subject)
      let isHeld: Bool
      do {
        isHeld = try await core.authorizer.holds(right)
      } catch {
        return
      }
      let intake = PurchaseIntake(
        identifiers: core.identifiers,
        policy: settings.restorePolicy,
        actor: nil,
        catalog: catalogue.value,
        scope: settings.scope,
        questions: IntakeQuestions()
      )
      try await core.changeOwn { tx, changes in
        try intake.settle(bound, isHeld: isHeld, in: tx, changes)
      }
    }
  }
}
