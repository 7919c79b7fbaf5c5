internal import PeerContracts
internal import ServiceKit
internal import TenancyContracts

extension Tenancy_V1.Portfolio: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    administrators.forEachPerson(body)
  }
}

extension Tenancy_V1.Property: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    managers.forEachPerson(body)
  }
}

extension Tenancy_V1.Unit: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    tenants.forEachPerson(body)
  }
}

extension Tenancy_V1.AccessRecord: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(userId, &displayName)
  }
}

extension Tenancy_V1.GuestPass: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(userId, &displayName)
    _ = body(grantedBy, &grantedByName)
  }
}

extension Tenancy_V1.GrantGuestPassResponse: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    passes.forEachPerson(body)
  }
}
