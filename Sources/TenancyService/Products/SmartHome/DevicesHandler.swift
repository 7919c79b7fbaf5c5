internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Devices`, all but what is done with a device.
struct DevicesHandler: Tenancy_V1.DevicesService {
  let core: TenancyCore
  let metrics: DeviceMetrics
  let attempts: ClaimAttempts

  init(core: TenancyCore) {
    self.core = core
    metrics = DeviceMetrics(core.metrics)
    attempts = ClaimAttempts(core)
  }

  var deviceType: Policy.EntityType {
    let policy = core.policy
    guard let type = policy.type(named: SmartHome.device) else {
      preconditionFailure("the policy has no devices")
    }
    return policy[type]
  }

  func register(
    _ request: Tenancy_V1.RegisterDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Device {
    _ = try call.requireUser()
    try requireKind(request.type)
    let type = deviceType
    var attributes = try AttributeMapping.merged(
      [:],
      AttributeMapping.written(
        AttributeMapping.changes(request.attributes, type: type, reserved: SmartHome.kind),
        type: type
      )
    )
    attributes[SmartHome.kind] = .string(request.type)
    let (given, core) = (attributes, core)
    return try await core.write(
      call,
      key: request.idempotencyKey,
      request: AttributeMapping.bytes(of: request, [request.attributes]) { $0.attributes = nil },
      heads: .any
    ) { changes, tx in
      let (parent, right) = try changes.home(
        ofDeviceIn: request.propertyId,
        unit: request.unitId,
        tx
      )
      let record = try changes.insert(
        SmartHome.device,
        .device,
        under: parent,
        name: request.name,
        attributes: given,
        tx
      )
      return try core.message(device: record, right, tx)
    }
  }

  func requireKind(_ kind: String) throws(RPCError) {
    let attribute = deviceType.attributes.first { $0.name == SmartHome.kind }
    do {
      try attribute?.check(.text(kind))
    } catch {
      throw ErrorCatalog.tenancy.invalid("type", "TYPE_UNKNOWN", error.problem)
    }
  }

  func list(
    _ request: Tenancy_V1.ListDevicesRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListDevicesResponse {
    _ = try call.requireUser()
    if !request.type.isEmpty { try requireKind(request.type) }
    let listed = try await core.places(
      request,
      of: SmartHome.device,
      within: [
        (SmartHome.portfolio, request.portfolioId), (SmartHome.property, request.propertyId),
        (SmartHome.unit, request.unitId),
      ],
      link: SmartHome.commonArea,
      filters: request.type.isEmpty
        ? [] : [.init(attribute: SmartHome.kind, values: [request.type])],
      call
    ) { record, user, tx in
      try core.message(device: record, try core.ruling("device.view", on: record.id, user, tx), tx)
    }
    return .init(devices: listed.items, nextPageToken: listed.nextToken, totalSize: listed.total)
  }

  func get(
    _ request: Tenancy_V1.GetDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Device {
    try await core.place(
      request.deviceId,
      of: SmartHome.device,
      atLeast: request.atLeastRevision,
      call
    ) { held, _, tx in try core.message(device: held.record, held.explanation, tx) }
  }

  func update(
    _ request: Tenancy_V1.UpdateDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Device {
    try await core.write(
      call,
      key: request.idempotencyKey,
      request: AttributeMapping.bytes(
        of: request,
        [request.attributes, request.current?.attributes]
      ) { request in
        request.attributes = nil
        var current = request.current
        current?.attributes = nil
        request.current = current
      },
      heads: .any
    ) { changes, tx in
      let held = try changes.held("device.update", on: request.deviceId, tx)
      try core.requireKept(
        request.current,
        of: held.record,
        asIn: core.message(device: held.record, changes.viewing(held, tx), tx)
      )
      let record = try changes.update(
        held,
        name: request.name,
        attributes: request.attributes,
        expectedRevision: request.expectedRevision,
        reserved: SmartHome.kind,
        tx
      )
      return try core.message(device: record, held.explanation, tx)
    }
  }

  func delete(
    _ request: Tenancy_V1.DeleteDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteResponse {
    try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let device = try changes.held("device.delete", on: request.deviceId, tx).record
      let options = DeletionOptions(cascades: true, isDryRun: request.dryRun)
      return core.message(deletion: try changes.delete(device, options, tx))
    }
  }

  func listHistory(
    _ request: Tenancy_V1.ListHistoryRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListHistoryResponse {
    let user = try call.requireUser()
    let id = request.deviceId
    let from = try request.from?.milliseconds(field: "from") ?? .min
    let until = try request.until?.milliseconds(field: "until") ?? .max
    let (question, explanation) = try await requireHistory(of: id, user)
    let filter = ["ListHistory", id, "\(from)", "\(until)"]
    let asked = try core.asked(request, cursorCount: 2, for: filter, call.caller)
    let last = asked.cursor.map { (recordedAt: Int64($0[0]) ?? 0, id: $0[1]) }
    let direction = ListDirection(request.sortBy, standard: .descending)
    let now = core.clock.now
    let rows = try await core.read { tx in
      try AccessTable.history(
        of: id,
        from: from,
        until: until,
        as: HistoryView.of(id, question, explanation, reader: user.userID, now: now, tx),
        after: last,
        direction,
        limit: asked.skippedCount + asked.size + 1,
        in: tx
      ).dropFirst(asked.skippedCount)
    }
    let page = try core.page(of: Array(rows), asked, after: { ["\($0.recordedAt)", $0.id] }) {
      Self.message($0)
    }
    return .init(records: try await core.named(page.items), nextPageToken: page.nextToken)
  }

  /// Requires the right to see what was done with a device, or with what was deleted below something whose
  /// history it may see; throws without one.
  private func requireHistory(
    of id: String,
    _ user: UserIdentity
  ) async throws -> (HistoryView.Question, Explanation) {
    let (core, action) = (core, "device.view_history")
    let question = HistoryView.Question(action: action, entityID: id, type: SmartHome.device)
    let held = try await core.explanation(action, on: id, user)
    guard !held.isAllowed else { return (question, held) }
    // Read for devices that are there as well: the time must not tell them from those that are gone.
    let survivor = try await core.read { tx in
      try TombstoneTable.survivor(above: id, type: SmartHome.device, in: tx)
    }
    if let (place, type) = survivor {
      let action = "\(type).view_history"
      let held = try await core.explanation(action, on: place, type: type, user)
      if held.isAllowed { return (.init(action: action, entityID: place, type: type), held) }
    }
    return (question, try await core.permit(action, on: id, user))
  }

  static func message(_ record: AccessRecord) -> Tenancy_V1.AccessRecord {
    Tenancy_V1.AccessRecord(
      id: record.id,
      deviceId: record.deviceID,
      userId: record.userID,
      operation: record.operation,
      succeeded: record.succeeded,
      reason: record.reason,
      role: record.role,
      time: .init(milliseconds: record.recordedAt),
      changes: record.changes.map {
        .init(
          name: $0.name,
          from: $0.from.map(AttributeMapping.value),
          to: $0.to.map(AttributeMapping.value)
        )
      }
    )
  }
}
