internal import PeerContracts
internal import ServiceKit
internal import TenancyContracts

extension Tenancy_V1.RoleAssociation: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(userId, &displayName)
    _ = body(grantedBy, &grantedByName)
  }
}

extension Tenancy_V1.UserSummary: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    deleted = body(id, &displayName)
  }
}

extension Tenancy_V1.AllowedSubject: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(userId, &displayName)
    association.forEachPerson(body)
  }
}

extension Tenancy_V1.BatchGrantRolesResponse: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    associations.forEachPerson(body)
  }
}

extension Tenancy_V1.ConvertedRole: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    association.forEachPerson(body)
  }
}

extension Tenancy_V1.RoleDefinition: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(definedBy, &definedByName)
  }
}

extension Tenancy_V1.EntityDeletion: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(deletedBy, &deletedByName)
  }
}

extension Tenancy_V1.Suspension: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(userId, &displayName)
    _ = body(suspendedBy, &suspendedByName)
  }
}

// MARK: - Invitations and pairings

extension Tenancy_V1.Invitation: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(invitedBy, &invitedByName)
  }
}

extension Tenancy_V1.CreateInvitationResponse: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    invitation.forEachPerson(body)
  }
}

extension Tenancy_V1.Pairing: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(userId, &displayName)
    _ = body(issuedBy, &issuedByName)
  }
}

extension Tenancy_V1.PairDeviceResponse: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    pairing.forEachPerson(body)
  }
}

extension Tenancy_V1.DeviceContext: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    pairing.forEachPerson(body)
  }
}
