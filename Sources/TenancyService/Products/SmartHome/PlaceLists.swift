internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// The smart home's objects as clients send them back: fields that an update cannot change, and lists that it can.
extension Tenancy_V1.Portfolio: PutBackMessage {
  static let readOnlyFields: [ReadOnlyField<Self>] = [
    .init("id") { $0.id },
    .init("property_ids") { $0.propertyIds },
    .init("created_at") { $0.createdAt },
    .init("updated_at") { $0.updatedAt },
    .init("property_count") { $0.propertyCount },
    .init("property_ids_cut") { $0.propertyIdsCut },
    // Not their names: those change without the portfolio.
    .init("administrators") { $0.administrators.map(\.id) },
  ]
}

extension Tenancy_V1.Property: PutBackMessage {
  static let readOnlyFields: [ReadOnlyField<Self>] = [
    .init("id") { $0.id },
    .init("portfolio_id") { $0.portfolioId },
    .init("unit_ids") { $0.unitIds },
    .init("created_at") { $0.createdAt },
    .init("updated_at") { $0.updatedAt },
    .init("unit_count") { $0.unitCount },
    .init("unit_ids_cut") { $0.unitIdsCut },
    .init("managers") { $0.managers.map(\.id) },
  ]
}

extension Tenancy_V1.Unit: PutBackMessage {
  static let readOnlyFields: [ReadOnlyField<Self>] = [
    .init("id") { $0.id },
    .init("property_id") { $0.propertyId },
    .init("created_at") { $0.createdAt },
    .init("updated_at") { $0.updatedAt },
    .init("property_name") { $0.propertyName },
    .init("property_address") { $0.propertyAddress },
    .init("device_count") { $0.deviceCount },
    .init("device_ids_cut") { $0.deviceIdsCut },
    .init("tenants") { $0.tenants.map(\.id) },
    .init("tenants_hidden") { $0.tenantsHidden },
  ]
}

extension Tenancy_V1.Device: PutBackMessage {
  static let readOnlyFields: [ReadOnlyField<Self>] = [
    .init("id") { $0.id },
    .init("type") { $0.type },
    .init("property_id") { $0.propertyId },
    .init("unit_id") { $0.unitId },
    .init("desired_state") { $0.desiredState },
    .init("desired") { $0.desired },
    .init("created_at") { $0.createdAt },
    .init("updated_at") { $0.updatedAt },
    .init("property_name") { $0.propertyName },
    .init("unit_name") { $0.unitName },
  ]
}

/// A list of users that an update sets, which others hold a role by.
struct PlaceList: Sendable {
  let field: String
  let userIDs: [String]
  /// Whether the request has it.
  let isGiven: Bool

  init(_ field: String, _ userIDs: [String], _ mask: UpdateMask) {
    (self.field, self.userIDs) = (field, userIDs)
    isGiven = mask.changes(field, isGiven: !userIDs.isEmpty)
  }

  /// Whether it is another one than the caller is shown.
  ///
  /// What it is shown it may send back, whatever its rights: a caller who may not see tenants is shown none, and
  /// removes none by that.
  func changes(_ shown: [String]) -> Bool { isGiven && Set(userIDs) != Set(shown) }

  /// Throws unless the users exist who would be new in it, if the caller may set it.
  func requireUsers(
    on id: String,
    ifMay action: String,
    _ core: TenancyCore,
    _ user: UserIdentity
  ) async throws {
    guard isGiven, !userIDs.isEmpty, try await core.explanation(action, on: id, user).isAllowed
    else { return }
    let held = try await core.read { tx in
      Set(try AssociationTable.all(on: id, in: tx).map(\.userID))
    }
    try await core.requireUsers(userIDs, field: field, known: held)
  }
}
