internal import EntitlementContracts
internal import PeerContracts
internal import ServiceKit

extension Entitlement_V1.Purchase: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(buyerId, &buyerName)
  }
}
