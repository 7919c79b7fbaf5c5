internal import EntitlementContracts
internal import PeerContracts
internal import ServiceKit

extension Entitlement_V1.PointsEntry: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(actorId, &actorName)
  }
}

extension Entitlement_V1.PointsRequest: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(requestedBy, &requestedByName)
    _ = body(decidedBy, &decidedByName)
  }
}

extension Entitlement_V1.PointsTransaction: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    request.forEachPerson(body)
  }
}

extension Entitlement_V1.PointsSummary: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    requests.forEachPerson(body)
  }
}
