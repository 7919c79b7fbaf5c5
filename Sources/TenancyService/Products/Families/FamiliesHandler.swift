internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Families`: devices that are paired with families.
struct FamiliesHandler: Tenancy_V1.FamiliesService {
  let core: TenancyCore
  private let attempts: CodeAttempts

  init(core: TenancyCore) {
    self.core = core
    attempts = CodeAttempts(.pairing, PairingLimits.attempts, core)
  }

  func createPairingCode(
    _ request: Tenancy_V1.CreatePairingCodeRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.CreatePairingCodeResponse {
    let (user, core) = (try call.requireUser(), core)
    let childID = try Self.childID(request)
    // Stays empty when the write only repeats an answer.
    let made = Lock("")
    var response = try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let family = try changes.requirePairing(with: request.familyId, child: childID, tx)
      let code = try Self.freeCode(core, tx)
      let record = PairingCodeRecord(
        code,
        digest: Self.digest(of: code, core),
        familyID: family.id,
        childID: childID,
        by: user,
        now: tx.now
      )
      try PairingCodeTable.insert(record, in: tx)
      try tx.audit(
        "pairing.create_code",
        object: childID ?? family.id,
        scope: family.rootID,
        after: record.digest
      )
      made.withLock { $0 = code.text }
      return Tenancy_V1.CreatePairingCodeResponse(
        expiresAt: .init(milliseconds: record.expiresAt)
      )
    }
    // Answers are kept in the store for repeated requests, and a code must not be.
    response.code = made.withLock { $0 }
    return response
  }

  private static func childID(
    _ request: Tenancy_V1.CreatePairingCodeRequest
  ) throws(RPCError) -> String? {
    switch (request.deviceRole, request.childId.isEmpty) {
    case (.child, false): return request.childId
    case (.child, true):
      throw ErrorCatalog.tenancy.invalid("child_id", "REQUIRED", "is required for a child's device")
    case (_, true): return nil
    case (_, false):
      throw ErrorCatalog.tenancy.invalid(
        "child_id",
        "CHILD_NOT_EXPECTED",
        "must be empty for a parent's device"
      )
    }
  }

  /// A code that no other one is found by.
  private static func freeCode(
    _ core: TenancyCore,
    _ tx: borrowing WriteTransaction
  ) throws -> PassedCode {
    if try PairingCodeTable.makeRoom(in: tx) {
      PairingLimit.refusals(core.metrics).increment(.codes)
    }
    while true {
      // At most one in nine is taken.
      let code = PassedCode(letterCount: PairingLimits.codeLetterCount, random: core.random)
      let selector = PairingCodeRecord.selector(of: code)
      if try PairingCodeTable.find(selector: selector, in: tx) == nil { return code }
    }
  }

  private static func digest(of code: PassedCode, _ core: TenancyCore) -> [UInt8] {
    core.codeDigests.digest(of: code, for: "pairing")
  }

  /// A wrong code is committed as such before it becomes an error, or it could be tried forever.
  func pairDevice(
    _ request: Tenancy_V1.PairDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.PairDeviceResponse {
    let (user, core) = (try call.requireUser(), core)
    let code = PassedCode(typed: request.code)
    let digest = Self.digest(of: code, core)
    let id = core.identifiers.make(.pairing)
    return try await attempts.trying(user.userID) {
      let response = try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
        try core.requireNotSuspended(user, tx)
        let found = try PairingCodeTable.find(
          selector: PairingCodeRecord.selector(of: code),
          in: tx
        )
        guard let found, Digests.areEqual(found.digest, digest) else {
          try Self.wrongTry(of: found, changes, tx)
          return Tenancy_V1.PairDeviceResponse()
        }
        let pairing = try changes.pair(
          found,
          id: id,
          deviceID: request.deviceId,
          deviceName: request.deviceName,
          tx
        )
        return Tenancy_V1.PairDeviceResponse(pairing: pairing.message)
      }
      guard response.pairing != nil else {
        throw CodeError.unknown.denying("pairing.create", on: "")
      }
      return response
    }
  }

  /// Records a wrong try: with one durable write whether there is such a code or not, so that the time
  /// does not tell.
  private static func wrongTry(
    of code: PairingCodeRecord?,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {
    try changes.core.auditBudget.take(changes.user.userID)
    if let code { try PairingCodeTable.countWrongTry(code, in: tx) }
    let object = code.map { $0.childID ?? $0.familyID } ?? ""
    try tx.audit(
      "pairing.create",
      object: object,
      scope: try EntityTable.all([object], in: tx).first?.rootID ?? "",
      outcome: .refused,
      detail: CodeError.unknownReason
    )
  }

  func getDeviceContext(
    _ request: Tenancy_V1.GetDeviceContextRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeviceContext {
    let (user, core) = (try call.requireUser(), core)
    try core.requireNotSuspended(user)
    let context = try await core.read { tx in
      guard let pairing = try Self.known(request.deviceId, user, core, tx) else {
        throw TenancyError.notFound
      }
      var context = Tenancy_V1.DeviceContext(pairing: pairing.message)
      let modes: [(Tenancy_V1.DeviceMode, String, String?)] = [
        (.parent, Families.enterParentMode, pairing.familyID),
        (.child, Families.enterChildMode, pairing.childID),
      ]
      for case (let mode, let action, let id?) in modes {
        let standing = try core.ruling(action, on: id, user, tx)
        // A user who may not know of the family gets the answer for strangers.
        let reason = standing.isKnown ? standing.reason : .noAssociation
        context.modes.append(
          .init(mode: mode, allowed: standing.isAllowed, reason: reason.rawValue)
        )
      }
      return context
    }
    return try await core.named(context)
  }

  /// The pairing of a device that a user may know of: its own, or that of a family whose devices it may
  /// list.
  private static func known(
    _ deviceID: String,
    _ user: UserIdentity,
    _ core: TenancyCore,
    _ tx: borrowing ReadTransaction
  ) throws -> PairingRecord? {
    if let own = try PairingTable.find(device: deviceID, of: user.userID, in: tx) {
      let action = own.childID == nil ? Families.viewFamily : Families.viewChild
      if try core.ruling(action, on: own.entityID, user, tx).isAllowed { return own }
    }
    // Anybody can pair a device of this name with a family of its own, so there may be several.
    let others = try PairingTable.all(
      ofDevice: deviceID,
      by: PairingRoles(core.policy),
      at: core.clock.now,
      limit: PairingLimits.pairingsOfFamilyMax,
      in: tx
    )
    return try others.first {
      try core.ruling(Families.listPairings, on: $0.familyID, user, tx).isAllowed
    }
  }

  func listPairings(
    _ request: Tenancy_V1.ListPairingsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListPairingsResponse {
    let (user, core) = (try call.requireUser(), core)
    try await core.permit(Families.listPairings, on: request.familyId, user)
    let filter = [call.method.fullName, request.familyId, request.childId]
    let asked = try core.asked(request, for: filter, call.caller)
    let direction = ListDirection(request.sortBy, standard: .ascending)
    let rows = try await core.read { tx in
      try PairingTable.list(
        family: request.familyId,
        child: request.childId.isEmpty ? nil : request.childId,
        by: PairingRoles(core.policy),
        at: core.clock.now,
        after: asked.cursor?[0],
        direction,
        skipping: asked.skippedCount,
        limit: asked.size + 1,
        in: tx
      )
    }
    let page = try core.page(of: rows, asked, after: { [$0.id] }) { $0.message }
    return .init(pairings: try await core.named(page.items), nextPageToken: page.nextToken)
  }

  func unpair(
    _ request: Tenancy_V1.UnpairRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.UnpairResponse {
    let (user, core) = (try call.requireUser(), core)
    let response: Tenancy_V1.UnpairResponse = try await core.write(
      call,
      request,
      key: \.idempotencyKey
    ) { changes, tx in
      try core.requireNotSuspended(user, tx)
      guard let pairing = try PairingTable.find(request.pairingId, in: tx) else {
        return .init(revision: core.tokens.token(revision: tx.revision))
      }
      let isOwn = pairing.userID == user.userID
      if !isOwn || pairing.childID != nil {
        let standing = try core.ruling(Families.pairDevices, on: pairing.familyID, user, tx)
        guard standing.isAllowed else {
          // Its own, or one that it may list, is known; every other one is treated as gone.
          guard isOwn || standing.isKnown else {
            return .init(revision: core.tokens.token(revision: tx.revision))
          }
          throw core.denied(standing, Families.pairDevices, on: pairing.familyID)
        }
      }
      let revision = try changes.unpair(pairing, tx)
      return .init(unpaired: true, revision: core.tokens.token(revision: revision))
    }
    core.familyEndings?.wake()
    return response
  }
}

extension PairingRecord {
  var message: Tenancy_V1.Pairing {
    Tenancy_V1.Pairing(
      id: id,
      familyId: familyID,
      childId: childID ?? "",
      childName: childName,
      deviceRole: childID == nil ? .parent : .child,
      deviceId: deviceID,
      deviceName: deviceName,
      userId: userID,
      issuedBy: issuedBy,
      pairedAt: .init(milliseconds: pairedAt)
    )
  }
}
