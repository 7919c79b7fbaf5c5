internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit

/// A store whose purchases are taken: everything that only that store says stays behind this.
protocol PurchaseStore: Sendable {
  /// The name that its purchases and requests have: `Purchase.store`.
  var name: String { get }

  /// The purchase that a signed transaction proves, in the caller's turn.
  ///
  /// Throws `RefusedStoreData`, or RESOURCE_EXHAUSTED when too much waits to be verified.
  func purchase(_ signed: String, _ call: CallContext) async throws -> ProvenPurchase

  /// The purchases of a product that a device has proof of, whichever form that has.
  ///
  /// Throws as `purchase` does, and where such proof is not accepted.
  func proof(
    _ data: String,
    of productID: String,
    _ call: CallContext
  ) async throws -> (format: Entitlement_V1.ReceiptFormat, purchases: [ProvenPurchase])

  /// Takes a notification of the store.
  func handle(
    _ request: Entitlement_V1.HandleNotificationRequest,
    _ call: CallContext,
    _ handler: PurchasesHandler
  ) async throws -> Entitlement_V1.HandleNotificationResponse
}

/// A purchase that a store has signed, or the error for a transaction without what every purchase has.
typealias ProvenPurchase = Result<Verified<Purchase>, RPCError>

/// Why data that claims to come from a store was not accepted.
///
/// The two cases ask for different answers: `invalid` will be so forever, `retry` may succeed later.
enum RefusedStoreData: Error, Hashable, Sendable {
  /// The data is not what it claims to be, or not meant for us: `UNTRUSTED_CHAIN`.
  case invalid(reason: String)
  /// The check could not be finished for a reason of our own.
  case retry
}

/// The stores whose purchases are taken.
struct PurchaseStores: Sendable {
  /// The store that requests mean without a name, and that notifies; and the others.
  let standard: any PurchaseStore
  var others: [any PurchaseStore] = []

  /// The store of a request; throws `PurchaseError.storeUnknown`.
  subscript(name: String) -> any PurchaseStore {
    get throws(RPCError) {
      let all = [standard] + others
      guard !name.isEmpty else { return standard }
      guard let store = all.first(where: { $0.name == name }) else {
        throw PurchaseError.storeUnknown(name, known: all.map(\.name))
      }
      return store
    }
  }
}
