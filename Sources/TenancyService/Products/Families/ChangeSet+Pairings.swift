internal import AccessEngine
internal import ServiceKit

extension ChangeSet {
  /// Throws unless the caller may make a code for a device of a family, and of a child in it.
  func requirePairing(
    with familyID: String,
    child childID: String?,
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    let family = try held(Families.pairDevices, on: familyID, tx).record
    guard let childID else { return family }
    // Also for who may not know of the child: then it is none of this family.
    guard let child = try EntityTable.find(childID, type: Families.child, in: tx),
      child.parentID == family.id
    else { throw TenancyError.notFound }
    let held = try requireRole(Families.childRole, .grant, on: childID, field: "", tx)
    try requireGiven(Families.childRole, nil, on: held.record, tx)
    return family
  }

  /// Pairs a device of the caller with the family of a code.
  ///
  /// The one who made the code must still have the right to. Throws for an account that the device of a child,
  /// or of a parent, must not have.
  func pair(
    _ code: PairingCodeRecord,
    id: String,
    deviceID: String,
    deviceName: String,
    _ tx: borrowing WriteTransaction
  ) throws -> PairingRecord {
    let family = try issued(by: code.issuedBy, acr: code.issuerACR) { issuer in
      try issuer.requirePairing(with: code.familyID, child: code.childID, tx)
    }
    try requireAccount(for: code, tx)
    if let old = try PairingTable.find(device: deviceID, of: user.userID, in: tx) {
      _ = try unpair(old, tx)
    }
    try requireRoom(in: family, tx)
    var pairing = PairingRecord(
      id: id,
      code,
      deviceID: deviceID,
      deviceName: deviceName,
      userID: user.userID,
      now: tx.now
    )
    if let childID = code.childID {
      pairing.associationID = try becomeChild(childID, code, tx)
      try becomeDevice(of: family, code, tx)
    }
    try PairingCodeTable.remove(code, in: tx)
    try PairingTable.insert(pairing, in: tx)
    pairing = try PairingTable.find(id, in: tx) ?? pairing
    try tx.audit("pairing.create", to: pairing)
    return pairing
  }

  /// Pairs a device with an account that the caller, a parent, has made for a child; gives the pairing that is
  /// there already, if there is one.
  func setUp(
    _ new: PairingRecord,
    of child: EntityRecord,
    in family: EntityRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> PairingRecord {
    if let old = try PairingTable.find(device: new.deviceID, of: new.userID, in: tx) {
      guard old.childID != child.id else { return old }
      _ = try unpair(old, tx)
    }
    try requireRoom(in: family, tx)
    var pairing = new
    let roles = [(Families.childRole, child), (Families.deviceRole, family)]
    for (role, entity) in roles where policy.granting(role, on: entity.type) != nil {
      let before = try AssociationTable.all(of: new.userID, on: entity.id, role: role, in: tx)
      guard before.allSatisfy({ $0.isOver(at: tx.now) }) else { continue }
      let granted = try grant(role, to: new.userID, on: entity, tx)
      if entity.id == child.id { pairing.associationID = granted.id }
    }
    try PairingTable.insert(pairing, in: tx)
    try tx.audit("pairing.create", to: pairing)
    return pairing
  }

  /// A child's device is its own account's: an adult's would let the child do whatever needs no step-up.
  private func requireAccount(
    for code: PairingCodeRecord,
    _ tx: borrowing WriteTransaction
  ) throws {
    let (action, id, type) =
      code.childID.map { child in
        (policy.action(of: .listAssociations, on: Families.child) ?? "", child, Families.child)
      } ?? (Families.viewFamily, code.familyID, Families.family)
    let standing = try core.ruling(action, on: id, type: type, user, tx)
    if code.childID == nil {
      guard standing.isGranted else { throw PairingError.familyRoleRequired }
    } else {
      guard !standing.isGranted else { throw PairingError.adultAccount }
    }
  }

  private func requireRoom(in family: EntityRecord, _ tx: borrowing WriteTransaction) throws {
    let max = PairingLimits.pairingsOfFamilyMax
    let paired = try PairingTable.list(
      family: family.id,
      child: nil,
      by: PairingRoles(policy),
      at: tx.now,
      after: "",
      limit: max,
      in: tx
    )
    guard paired.count < max else {
      PairingLimit.refusals(core.metrics).increment(.pairings)
      throw PairingError.tooMany
    }
  }

  /// Gives the caller the role of a child; its identifier, or nothing if the caller had it before.
  private func becomeChild(
    _ childID: String,
    _ code: PairingCodeRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> String {
    let role = Families.childRole
    let before = try AssociationTable.all(of: user.userID, on: childID, role: role, in: tx)
    guard before.allSatisfy({ $0.isOver(at: tx.now) }) else { return "" }
    let child = try EntityTable.known(childID, type: Families.child, in: tx)
    return try issued(by: code.issuedBy, acr: code.issuerACR) { issuer in
      try issuer.grant(role, to: user.userID, on: child, tx).id
    }
  }

  /// Gives the caller the role by which the PIN of the family opens parent mode on its device.
  private func becomeDevice(
    of family: EntityRecord,
    _ code: PairingCodeRecord,
    _ tx: borrowing WriteTransaction
  ) throws {
    let role = Families.deviceRole
    guard policy.granting(role, on: Families.family) != nil else { return }
    let before = try AssociationTable.all(of: user.userID, on: family.id, role: role, in: tx)
    guard before.allSatisfy({ $0.isOver(at: tx.now) }) else { return }
    try issued(by: code.issuedBy, acr: code.issuerACR) { issuer in
      _ = try issuer.grant(role, to: user.userID, on: family, tx)
    }
  }

  /// Ends that role once no child's device of the account is left in the family.
  func endDeviceRole(of pairing: PairingRecord, _ tx: borrowing WriteTransaction) throws {
    guard pairing.childID != nil else { return }
    let left = try PairingTable.all(ofUser: pairing.userID, in: tx)
    guard !left.contains(where: { $0.familyID == pairing.familyID && $0.childID != nil }) else {
      return
    }
    let held = try AssociationTable.all(
      of: pairing.userID,
      on: pairing.familyID,
      role: Families.deviceRole,
      in: tx
    )
    guard !held.isEmpty else { return }
    try end(held, action: "role.remove", tx)
  }

  /// Ends a pairing, and the roles that came with it unless another device of the account needs it; the
  /// revision after that.
  func unpair(_ pairing: PairingRecord, _ tx: borrowing WriteTransaction) throws -> Int64 {
    // Before the role, whose end would end it as well.
    try PairingTable.end(pairing, in: tx)
    if !pairing.associationID.isEmpty, try !PairingTable.handOnAssociation(pairing, in: tx),
      let association = try AssociationTable.find(pairing.associationID, in: tx)
    {
      try requireLastingHolder(
        of: association.role,
        on: association.entityID,
        besides: association.userID,
        tx
      )
      try end([association], action: "role.remove", tx)
      _ = try limitLending(by: association.userID, on: association.entityID, tx)
    }
    try endDeviceRole(of: pairing, tx)
    return tx.revision
  }

  /// Whether its account still has a role by which a device is paired: that of the child, or one that sees the
  /// family.
  func carries(_ pairing: PairingRecord, _ tx: borrowing WriteTransaction) throws -> Bool {
    let roles = PairingRoles(policy)
    return try AssociationTable.all(ofUser: pairing.userID, on: pairing.entityID, in: tx)
      .contains { !$0.isOver(at: tx.now) && roles.carries(pairing, by: $0) }
  }
}
