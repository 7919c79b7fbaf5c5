internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Devices`, all but what is done with a device.
struct DevicesHandler: Tenancy_V1.DevicesService {
  let core: TenancyCore
  let metrics: DeviceMetrics

  init(core: TenancyCore) {
    self.core = core
    metrics = DeviceMetrics(core.metrics)
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
    let user = try call.requireUser()
    try requireKind(request.type)
    let type = deviceType
    var attributes = try AttributeMapping.merged(
      [:],
      try AttributeMapping.changes(
        request.attributes,
        type: type,
        field: "attributes",
        reserved: SmartHome.kind
      ),
      field: "attributes"
    )
    attributes[SmartHome.kind] = .string(request.type)
    let (given, core) = (attributes, core)
    return try await core.write(
      call,
      key: request.idempotencyKey,
      request: bytes(request, request.attributes) { $0.attributes = nil }
    ) { changes, tx in
      let held = try core.require(
        "property.register_device",
        on: request.propertyId,
        type: SmartHome.property,
        user,
        tx
      )
      var parent = try tx.known(request.propertyId, type: SmartHome.property)
      if !request.unitId.isEmpty {
        try core.require(
          "unit.assign_device",
          on: request.unitId,
          type: SmartHome.unit,
          user,
          tx
        )
        let unit = try tx.known(request.unitId, type: SmartHome.unit)
        guard unit.parentID == parent.id else { throw DeviceError.notSameProperty }
        parent = unit
      }
      let record = try changes.insert(
        SmartHome.device,
        .device,
        under: parent,
        name: request.name,
        attributes: given,
        tx
      )
      return try core.message(device: record, held, tx)
    }
  }

  private func requireKind(_ kind: String) throws(RPCError) {
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
    let user = try call.requireUser()
    try await core.reach(atLeast: request.atLeastRevision)
    if !request.type.isEmpty { try requireKind(request.type) }
    let filters = [
      (request.portfolioId, SmartHome.portfolio, "portfolio.view"),
      (request.propertyId, SmartHome.property, "property.view"),
      (request.unitId, SmartHome.unit, "unit.view"),
    ].filter { !$0.0.isEmpty }
    for (id, type, action) in filters {
      try await core.permit(action, on: id, type: type, user)
    }
    var list = EntityList(
      action: "device.view",
      type: SmartHome.device,
      within: filters.map(\.0),
      text: request.text,
      filters: request.type.isEmpty
        ? [] : [.init(attribute: SmartHome.kind, values: [request.type])],
      pageSize: request.pageSize,
      pageToken: request.pageToken,
      page: request.page
    )
    list.sort(by: request.sortBy)
    let listed = try await core.list(list, call, user) { record, tx in
      let held = try core.ruling(
        "device.view",
        on: record.id,
        type: SmartHome.device,
        user,
        tx
      )
      return try core.message(device: record, held, tx)
    }
    return Tenancy_V1.ListDevicesResponse(
      devices: listed.items,
      nextPageToken: listed.nextToken,
      totalSize: listed.total
    )
  }

  func get(
    _ request: Tenancy_V1.GetDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Device {
    let user = try call.requireUser()
    try await core.reach(atLeast: request.atLeastRevision)
    let held = try await core.permit(
      "device.view",
      on: request.deviceId,
      type: SmartHome.device,
      user
    )
    return try await core.read { tx in
      let record = try tx.known(request.deviceId, type: SmartHome.device)
      return try core.message(device: record, held, tx)
    }
  }

  func update(
    _ request: Tenancy_V1.UpdateDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Device {
    let user = try call.requireUser()
    return try await core.write(
      call,
      key: request.idempotencyKey,
      request: bytes(request, request.attributes) { $0.attributes = nil }
    ) { changes, tx in
      let held = try core.held(
        "device.update",
        on: request.deviceId,
        type: SmartHome.device,
        user,
        tx
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
    let user = try call.requireUser()
    return try await core.write(call, key: request.idempotencyKey, request: request) {
      changes,
      tx in
      try core.require("device.delete", on: request.deviceId, type: SmartHome.device, user, tx)
      return try changes.delete(
        try tx.known(request.deviceId, type: SmartHome.device),
        cascades: true,
        isDryRun: request.dryRun,
        tx
      )
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
    let asked = try core.asked(
      request.pageSize,
      request.pageToken,
      cursorCount: 2,
      for: ["ListHistory", id, "\(from)", "\(until)"],
      call.caller
    )
    let before = asked.cursor.map { (recordedAt: Int64($0[0]) ?? 0, id: $0[1]) }
    let now = core.clock.now
    let rows = try await core.read { tx in
      try AccessTable.history(
        of: id,
        from: from,
        until: until,
        as: HistoryView.of(id, question, explanation, reader: user.userID, now: now, tx),
        before: before,
        limit: asked.size + 1,
        in: tx
      )
    }
    let page = core.page(of: rows, asked) {
      ["\($0.recordedAt)", $0.id]
    } message: {
      Self.message($0)
    }
    return Tenancy_V1.ListHistoryResponse(
      records: page.items,
      nextPageToken: page.nextToken
    )
  }

  /// Requires the right to see what was done with a device, or with what was deleted below something whose
  /// history it may see; throws without one.
  private func requireHistory(
    of id: String,
    _ user: UserIdentity
  ) async throws -> (HistoryView.Question, Explanation) {
    let (core, action) = (core, "device.view_history")
    let question = HistoryView.Question(action: action, entityID: id, type: SmartHome.device)
    let held = try await core.explanation(action, on: id, type: SmartHome.device, user)
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
    return (question, try await core.permit(action, on: id, type: SmartHome.device, user))
  }

  /// The request with its attributes in one order: a map has none on the wire.
  func bytes<Request: Message>(
    _ request: Request,
    _ attributes: Google_Protobuf.Struct?,
    _ removeAttributes: (inout Request) -> Void
  ) -> [UInt8] {
    var rest = request
    removeAttributes(&rest)
    return rest.protobufBytes + AttributeMapping.canonical(attributes)
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
      time: .init(milliseconds: record.recordedAt)
    )
  }
}
