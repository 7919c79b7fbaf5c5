internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// Every bound of codes that claim devices.
enum ClaimLimits {
  /// Letters of a code: 103 bits.
  static let codeLetterCount = 22
  private static let window: Int64 = 600_000
  /// Wrong codes of one account in ten minutes.
  static let ofAccount = CodeAttempts.Limits(
    wrong: SharedBound(total: 10_000, share: 10, ofEach: .account),
    kept: 3,
    window: window
  )
  /// Wrong codes of one network address.
  static let ofSource = CodeAttempts.Limits(
    wrong: SharedBound(total: 10_000, share: 100, ofEach: .source),
    kept: 10,
    window: window
  )
  /// Wrong codes for one device that is named.
  static let ofDevice = CodeAttempts.Limits(
    wrong: SharedBound(total: 10_000, share: 10, ofEach: .device),
    kept: 3,
    window: window
  )
}

/// Bounds how many wrong codes are tried to claim devices: of an account, of a network address, and for a device.
struct ClaimAttempts: Sendable {
  private let accounts: CodeAttempts
  private let sources: CodeAttempts
  private let devices: CodeAttempts

  init(_ core: TenancyCore) {
    accounts = CodeAttempts(.claim, ClaimLimits.ofAccount, core)
    sources = CodeAttempts(.claim, ClaimLimits.ofSource, core)
    devices = CodeAttempts(.claim, ClaimLimits.ofDevice, core)
  }

  /// Runs `body`, which tries a code; `source` and `device` are empty where they are not known.
  func trying<R: Sendable>(
    _ account: String,
    source: String,
    device: String,
    _ body: () async throws -> R
  ) async throws -> R {
    try await accounts.trying(account) {
      try await Self.trying(sources, source) { try await Self.trying(devices, device, body) }
    }
  }

  private static func trying<R: Sendable>(
    _ attempts: CodeAttempts,
    _ holder: String,
    _ body: () async throws -> R
  ) async throws -> R {
    guard !holder.isEmpty else { return try await body() }
    return try await attempts.trying(holder, body)
  }
}

/// Devices that nobody has, and how they come to somebody and back.
extension DevicesHandler {
  func provision(
    _ request: Tenancy_V1.ProvisionDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.UnclaimedDevice {
    let user = call.caller.user
    if user == nil { _ = try call.requireService() }
    try requireKind(request.type)
    var attributes = try AttributeMapping.merged(
      [:],
      AttributeMapping.changes(request.attributes, type: deviceType, reserved: SmartHome.kind)
    )
    attributes[SmartHome.kind] = .string(request.type)
    let (core, code, given) = (core, claimCode(), attributes)
    let id = core.identifiers.make(.device)
    let changes = ChangeSet(core: core, call: call, user: user ?? .named(""))
    var response = try await core.change(
      call,
      once: request.idempotencyKey,
      AttributeMapping.bytes(of: request, [request.attributes]) { $0.attributes = nil },
      onReplay: { tx in if let user { try core.requireAdministrator(user, tx) } },
      { tx in
        if let user { try core.requireAdministrator(user, tx) }
        let system = try EntityTable.known(Forest.systemIdentifier, type: BuiltIn.system, in: tx)
        let record = try changes.insert(
          SmartHome.device,
          .device,
          id: id,
          under: system,
          name: request.name,
          attributes: given,
          tx
        )
        try changes.issue(code, for: record, tx)
        return try core.message(unclaimed: record)
      }
    )
    // Answers are kept in the store for repeated requests, and a code must not be.
    if response.device?.id == id { response.claimCode = code.text }
    return response
  }

  func claim(
    _ request: Tenancy_V1.ClaimDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Device {
    let (user, core) = (try call.requireUser(), core)
    let digest = core.claimDigest(of: PassedCode(typed: request.code))
    return try await attempts.trying(
      user.userID,
      source: CallSource(call, SourceRules()).address.map { "\($0.bytes)" } ?? "",
      device: request.deviceId
    ) {
      try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
        let (parent, right) = try changes.home(
          ofDeviceIn: request.propertyId,
          unit: request.unitId,
          tx
        )
        guard let claim = try DeviceClaimTable.find(codeDigest: digest, in: tx),
          request.deviceId.isEmpty || claim.deviceID == request.deviceId,
          let device = try EntityTable.find(claim.deviceID, type: SmartHome.device, in: tx),
          device.parentID == Forest.systemIdentifier
        else { throw CodeError.unknown.denying("device.claim", on: request.deviceId) }
        let record = try changes.claim(device, under: parent, name: request.name, tx)
        return try core.message(device: record, right, tx)
      }
    }
  }

  func release(
    _ request: Tenancy_V1.ReleaseDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.UnclaimedDevice {
    _ = try call.requireUser()
    let (core, code) = (core, claimCode())
    var response = try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let device = try changes.held("device.delete", on: request.deviceId, tx).record
      let released = try changes.release(device, tx)
      try changes.issue(code, for: released, tx)
      return try core.message(unclaimed: released)
    }
    let digest = core.claimDigest(of: code)
    let current = try await core.store.read { tx in
      try DeviceClaimTable.find(codeDigest: digest, in: tx)?.deviceID
    }
    if let current, current == response.device?.id { response.claimCode = code.text }
    return response
  }

  private func claimCode() -> PassedCode {
    PassedCode(letterCount: ClaimLimits.codeLetterCount, random: core.random)
  }
}

extension ChangeSet {
  /// The unit or property where the caller may put a device, and what the caller has there.
  func home(
    ofDeviceIn propertyID: String,
    unit unitID: String,
    _ tx: borrowing WriteTransaction
  ) throws -> (parent: EntityRecord, right: Explanation) {
    let held = try held("property.register_device", on: propertyID, tx)
    guard !unitID.isEmpty else { return (held.record, held.explanation) }
    let unit = try self.held("unit.assign_device", on: unitID, tx).record
    guard unit.parentID == held.record.id else { throw DeviceError.notSameProperty }
    return (unit, held.explanation)
  }

  /// Has a code claim a device, and no other one any longer.
  func issue(
    _ code: PassedCode,
    for device: EntityRecord,
    _ tx: borrowing WriteTransaction
  ) throws {
    try DeviceClaimTable.put(
      DeviceClaim(
        deviceID: device.id,
        codeDigest: core.claimDigest(of: code),
        issuedAt: tx.now
      ),
      in: tx
    )
  }

  /// Takes a device that nobody has under a unit or property; its code is used by that.
  func claim(
    _ device: EntityRecord,
    under parent: EntityRecord,
    name: String,
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    var named = device
    if !name.isEmpty { named.name = name }
    let record = try move(named, under: parent, action: "device.claim", tx)
    try DeviceClaimTable.put(
      DeviceClaim(deviceID: device.id, issuedAt: tx.now, claimedAt: tx.now),
      in: tx
    )
    return record
  }

  /// Makes a device one that nobody has: with its kind and what it reports, and nothing of its owner's.
  func release(
    _ device: EntityRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    let system = try EntityTable.known(Forest.systemIdentifier, type: BuiltIn.system, in: tx)
    let invitations = try InvitationTable.list(
      .entity(device.id),
      pendingAt: tx.now,
      after: nil,
      limit: InvitationLimits.ofEntityMax,
      in: tx
    )
    for invitation in invitations { try close(invitation, .revoked, tx) }
    try tx.execute("DELETE FROM device_command WHERE device_id = ?", .text(device.id))
    let type = policy.type(named: SmartHome.device).map { policy[$0] }
    let reported = Set(type?.attributes.filter(\.isReported).map(\.name) ?? [])
    var cleared = device
    cleared.name = device.attributes[SmartHome.kind]?.string ?? SmartHome.device
    cleared.attributes = device.attributes.filter {
      $0.key == SmartHome.kind || reported.contains($0.key)
    }
    (cleared.desiredState, cleared.desiredValues) = ("", [:])
    guard device.parentID != system.id else {
      return try update(from: device, to: cleared, action: "device.release", tx)
    }
    return try move(cleared, under: system, action: "device.release", tx)
  }
}

extension TenancyCore {
  func claimDigest(of code: PassedCode) -> [UInt8] { codeDigests.digest(of: code, for: "claim") }

  /// A device that nobody has, for those who may make one.
  func message(unclaimed record: EntityRecord) throws -> Tenancy_V1.UnclaimedDevice {
    let type = policy.type(named: SmartHome.device).map { ($0, policy[$0]) }
    return Tenancy_V1.UnclaimedDevice(
      device: Tenancy_V1.Device(
        id: record.id,
        name: record.name,
        type: record.attributes[SmartHome.kind]?.string ?? "other",
        attributes: type.map { id, type in
          AttributeMapping.visible(
            record,
            type: type,
            accessLevel: policy.accessLevels(of: id).count - 1,
            reserved: SmartHome.kind
          )
        },
        createdAt: .init(milliseconds: record.createdAt),
        updatedAt: .init(milliseconds: record.updatedAt),
        revision: tokens.token(revision: record.revision)
      )
    )
  }
}
