internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// Entities as messages. What is below an object is only named as far as the caller may see it.
extension TenancyCore {
  /// Identifiers below an object that are named in it, at most; where there are more, none is.
  static let namedCountMax = 1000

  func message(
    portfolio record: EntityRecord,
    _ user: UserIdentity,
    _ tx: borrowing some Queryable
  ) throws -> Tenancy_V1.Portfolio {
    let properties = try visibleChildren(
      of: record.id,
      SmartHome.property,
      "property.view",
      user,
      tx
    )
    let administratorIDs = try holders(
      of: [SmartHome.owner, SmartHome.portfolioAdmin],
      on: record,
      tx
    )
    return Tenancy_V1.Portfolio(
      id: record.id,
      name: record.name,
      administratorUserIds: administratorIDs,
      propertyIds: properties.ids,
      createdAt: .init(milliseconds: record.createdAt),
      updatedAt: .init(milliseconds: record.updatedAt),
      revision: tokens.token(revision: record.revision),
      administrators: administratorIDs.map { .init(id: $0) },
      propertyCount: UInt32(properties.count),
      propertyIdsCut: properties.isCut
    )
  }

  /// Those who have one of some roles on an object now, in the order they got it: what a list shows.
  func holders(
    of roles: Set<String>,
    on record: EntityRecord,
    _ tx: borrowing some Queryable
  ) throws -> [String] {
    var seen: Set<String> = []
    return try AssociationTable.all(
      on: record.id,
      role: roles.count == 1 ? roles.first : nil,
      in: tx
    )
    .filter { roles.contains($0.role) && $0.isInForce(at: clock.now) }
    .map(\.userID).filter { seen.insert($0).inserted }
  }

  func message(
    property record: EntityRecord,
    _ user: UserIdentity,
    _ tx: borrowing some Queryable
  ) throws -> Tenancy_V1.Property {
    let units = try visibleChildren(of: record.id, SmartHome.unit, "unit.view", user, tx)
    let managerIDs = try holders(of: [SmartHome.propertyManager], on: record, tx)
    return Tenancy_V1.Property(
      id: record.id,
      name: record.name,
      portfolioId: record.parentID,
      address: Self.address(of: record),
      managerUserIds: managerIDs,
      unitIds: units.ids,
      defaultTimeZone: record.attributes[SmartHome.timeZone]?.string ?? "",
      createdAt: .init(milliseconds: record.createdAt),
      updatedAt: .init(milliseconds: record.updatedAt),
      revision: tokens.token(revision: record.revision),
      managers: managerIDs.map { .init(id: $0) },
      unitCount: UInt32(units.count),
      unitIdsCut: units.isCut
    )
  }

  /// The address of a property; nil when it has none.
  private static func address(of property: EntityRecord) -> Tenancy_V1.PropertyAddress? {
    let text = { property.attributes[$0]?.string ?? "" }
    guard SmartHome.address.contains(where: { !text($0).isEmpty }) else { return nil }
    return Tenancy_V1.PropertyAddress(
      street: text("street"),
      city: text("city"),
      state: text("state"),
      postalCode: text("postal_code"),
      country: text("country")
    )
  }

  /// A unit, with what everyone who sees it is shown of its property.
  ///
  /// `showsTenants`: whether the caller may list them; a caller who may not sees itself among them.
  func message(
    unit record: EntityRecord,
    showsTenants: Bool,
    _ user: UserIdentity,
    _ tx: borrowing some Queryable
  ) throws -> Tenancy_V1.Unit {
    let devices = try devices(of: record, tx)
    let property = try EntityTable.find(record.parentID, type: SmartHome.property, in: tx)
    let tenantIDs = try holders(of: [SmartHome.tenant], on: record, tx)
      .filter { showsTenants || $0 == user.userID }
    return Tenancy_V1.Unit(
      id: record.id,
      name: record.name,
      propertyId: record.parentID,
      tenantUserIds: tenantIDs,
      deviceIds: devices.ids,
      commonAreaDeviceIds: try LinkTable.targets(SmartHome.commonArea, from: record.id, in: tx),
      createdAt: .init(milliseconds: record.createdAt),
      updatedAt: .init(milliseconds: record.updatedAt),
      revision: tokens.token(revision: record.revision),
      propertyName: property?.name ?? "",
      propertyAddress: property.flatMap { Self.address(of: $0) },
      tenants: tenantIDs.map { .init(id: $0) },
      deviceCount: UInt32(devices.count),
      deviceIdsCut: devices.isCut,
      tenantsHidden: !showsTenants
    )
  }

  /// The children that an object names, or how many they are where they are too many.
  struct NamedChildren {
    let ids: [String]
    let count: Int

    init(_ ids: [String], count: Int) {
      (self.ids, self.count) = (count > TenancyCore.namedCountMax ? [] : ids, count)
    }

    var isCut: Bool { count > TenancyCore.namedCountMax }
  }

  /// The devices of a unit: who sees it sees them, because they are below it.
  private func devices(
    of unit: EntityRecord,
    _ tx: borrowing some Queryable
  ) throws -> NamedChildren {
    let (id, type) = (SQLValue.text(unit.id), SQLValue.text(SmartHome.device))
    let ids = try tx.query(
      "SELECT id FROM entity WHERE parent_id = ? AND type = ? ORDER BY id LIMIT ?",
      values: [id, type, .integer(Self.namedCountMax + 1)]
    ) { $0.text(0) }
    guard ids.count > Self.namedCountMax else { return NamedChildren(ids, count: ids.count) }
    let count = try tx.query(
      "SELECT count(*) FROM entity WHERE parent_id = ? AND type = ?",
      values: [id, type]
    ) { Int($0.integer(0)) }
    return NamedChildren([], count: count.first ?? ids.count)
  }

  /// `held`: what the caller has on the device, which says how much of it is shown.
  func message(
    device record: EntityRecord,
    _ held: Explanation,
    _ tx: borrowing some Queryable
  ) throws -> Tenancy_V1.Device {
    let place = try DevicePlace.find(of: record, now: clock.now, in: tx)
    guard place.hasExpiredCommand else { return message(device: record, at: place, held) }
    let settled = try DesiredState.settled(record, now: clock.now, tx)
    return message(device: settled, at: place, held)
  }

  func message(
    device record: EntityRecord,
    at place: DevicePlace,
    _ held: Explanation
  ) -> Tenancy_V1.Device {
    guard let type = held.policy.type(named: record.type) else {
      preconditionFailure("a device of no type of the policy")
    }
    let showsNames = held.accessLevel >= SmartHome.levelOfNames(type, held.policy)
    return Tenancy_V1.Device(
      id: record.id,
      name: record.name,
      type: record.attributes[SmartHome.kind]?.string ?? "other",
      propertyId: place.propertyID,
      unitId: place.unitID,
      attributes: AttributeMapping.visible(
        record,
        type: held.policy[type],
        accessLevel: held.accessLevel,
        reserved: SmartHome.kind
      ),
      desiredState: record.desiredState,
      createdAt: .init(milliseconds: record.createdAt),
      updatedAt: .init(milliseconds: record.updatedAt),
      revision: tokens.token(revision: record.revision),
      propertyName: showsNames ? place.propertyName : "",
      unitName: showsNames ? place.unitName : "",
      desired: Google_Protobuf.Struct(fields: record.desired.mapValues(AttributeMapping.value)),
      reportedAt: record.reportedAt.map { .init(milliseconds: $0) }
    )
  }

  func message(pass record: AssociationRecord) -> Tenancy_V1.GuestPass {
    var pass = Tenancy_V1.GuestPass(message(association: record))
    pass.revision = tokens.token(revision: record.revision)
    return pass
  }

  /// The invitation that a grant of a pass by address made, as the pass that it stands for.
  func message(pass record: InvitationRecord, reader: String) -> Tenancy_V1.GuestPass {
    var pass = Tenancy_V1.GuestPass(message(invited: record))
    pass.id = record.id
    pass.updatedAt = .init(milliseconds: record.updatedAt)
    pass.revision = tokens.token(revision: record.revision)
    if record.taken?.userID == reader {
      pass.userId = reader
    } else if record.convertedFrom.isEmpty {
      pass.email = record.email
    }
    return pass
  }

  func message(pass: GuestPass, reader: String) -> Tenancy_V1.GuestPass {
    switch pass {
    case .held(let record): message(pass: record)
    case .invited(let record): message(pass: record, reader: reader)
    }
  }

  /// The generic deletion in this product's words; `home` is where devices went, if anywhere.
  func message(deletion: Deletion, home: EntityRecord? = nil) -> Tenancy_V1.DeleteResponse {
    var counts: [String: UInt64] = [:]
    for type in deletion.deleted { counts[type.name, default: 0] += UInt64(type.count) }
    for role in deletion.endedRoles {
      counts[SmartHome.guestRoles.contains(role.name) ? "guest_pass" : "association", default: 0] +=
        UInt64(role.count)
    }
    return Tenancy_V1.DeleteResponse(
      deleted: counts.sorted { $0.key < $1.key }.map { .init(type: $0.key, count: $0.value) },
      unassignedDevices: UInt64(deletion.movedCount),
      revision: tokens.token(revision: deletion.revision),
      devicesMovedTo: deletion.movedCount == 0 ? "" : home?.id ?? "",
      holderCount: UInt64(deletion.holderCount),
      deletionId: deletion.recordID
    )
  }

  private func visibleChildren(
    of id: String,
    _ type: String,
    _ action: String,
    _ user: UserIdentity,
    _ tx: borrowing some Queryable
  ) throws -> NamedChildren {
    // One that the same write has made is not in memory, and nothing is below it.
    guard !tx.hasTouched(.creation(of: id)) else { return NamedChildren([], count: 0) }
    // Children are found in memory: reading all of them for the few that somebody may see would take
    // long.
    try tx.rely(on: .children(of: id))
    try tx.rely(on: .roles(of: user.userID))
    let (now, features) = (clock.now, features)
    let children = try engine.walkSynchronously { forest in
      guard let query = forest.query(action, on: type, user, now: now, features),
        let parent = forest.entity(id)
      else { return nil }
      let page = PageSelection(limit: Self.namedCountMax, sortsByName: false, after: nil)
      return AccessWalk(childrenOf: parent, query, .page(page), forest)
    } finish: { walk, forest -> NamedChildren in
      guard walk.missing.isEmpty else { throw TenancyError.featuresUnavailable(walk.missing) }
      guard case .page(let selection) = walk.purpose else { return NamedChildren([], count: 0) }
      var ids: [String] = []
      for entry in selection.page { ids.append(forest.identifier(of: entry.entity)) }
      return NamedChildren(ids, count: selection.total)
    }
    return children ?? NamedChildren([], count: 0)
  }
}

extension CommandRecord {
  var message: Tenancy_V1.DeviceCommand {
    // What the store has is ours, and was bounded when it came.
    let parameters = try? JSONReader.read(
      Array(self.parameters.utf8),
      limits: JSONLimits(byteCountMax: 1 << 20)
    ).object
    return Tenancy_V1.DeviceCommand(
      id: id,
      deviceId: deviceID,
      propertyId: propertyID,
      operation: operation,
      parameters: Google_Protobuf.Struct(
        fields: Dictionary(
          parameters?.members.map { ($0.name, AttributeMapping.value($0.value)) } ?? []
        ) { first, _ in first }
      ),
      createdAt: .init(milliseconds: createdAt),
      expiresAt: .init(milliseconds: expiresAt)
    )
  }
}

extension Tenancy_V1.GuestPass {
  /// The role of a guest as a pass.
  fileprivate init(_ role: Tenancy_V1.RoleAssociation) {
    let isDevice = role.entityType == SmartHome.device
    self.init(
      id: role.id,
      userId: role.userId,
      deviceId: isDevice ? role.entityId : "",
      validFrom: role.validFrom,
      validUntil: role.validUntil,
      grantedBy: role.grantedBy,
      createdAt: role.createdAt,
      deviceName: isDevice ? role.entityName : "",
      recurring: role.recurring,
      invitationId: role.invitationId,
      entityType: role.entityType,
      entityId: role.entityId,
      entityName: role.entityName,
      includesCommonAreas: role.role == SmartHome.areaGuest,
      updatedAt: role.updatedAt
    )
  }
}
