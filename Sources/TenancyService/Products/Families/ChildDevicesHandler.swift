internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.ChildDevices`: devices of children's accounts, which AuthService signs in.
struct ChildDevicesHandler: Tenancy_V1.ChildDevicesService {
  let core: TenancyCore

  func pair(
    _ request: Tenancy_V1.PairChildDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.PairChildDeviceResponse {
    _ = try call.requireService()
    let (core, parent) = (core, UserIdentity.named(request.parentId))
    let id = core.identifiers.make(.pairing)
    return try await core.change(call) { tx in
      try core.requireNotSuspended(parent, tx)
      let changes = ChangeSet(core: core, call: call, user: parent)
      guard let child = try EntityTable.find(request.childId, type: Families.child, in: tx) else {
        throw TenancyError.notFound
      }
      let family = try changes.requirePairing(with: child.parentID, child: child.id, tx)
      let pairing = try changes.setUp(
        PairingRecord(
          id: id,
          familyID: family.id,
          childID: child.id,
          deviceID: request.deviceId,
          deviceName: request.deviceName,
          userID: request.userId,
          issuedBy: parent.userID,
          now: tx.now
        ),
        of: child,
        in: family,
        tx
      )
      return .init(pairingId: pairing.id, familyId: family.id, childName: child.name)
    }
  }

  func unpair(
    _ request: Tenancy_V1.UnpairChildDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.UnpairChildDeviceResponse {
    _ = try call.requireService()
    let (core, parent) = (core, UserIdentity.named(request.parentId))
    let response = try await core.change(call) { tx -> Tenancy_V1.UnpairChildDeviceResponse in
      try core.requireNotSuspended(parent, tx)
      guard
        let pairing = try PairingTable.find(device: request.deviceId, of: request.userId, in: tx)
      else { return .init() }
      guard try core.ruling(Families.pairDevices, on: pairing.familyID, parent, tx).isAllowed else {
        throw TenancyError.notFound
      }
      _ = try ChangeSet(core: core, call: call, user: parent).unpair(pairing, tx)
      return .init(unpaired: true)
    }
    core.familyEndings?.wake()
    return response
  }
}
