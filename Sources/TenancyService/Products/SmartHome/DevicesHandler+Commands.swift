internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// The calls of the hardware bridge.
extension DevicesHandler {
  /// Silence of a watch, at most.
  static let heartbeatInterval = Duration.seconds(3)

  func watchCommands(
    _ request: Tenancy_V1.WatchCommandsRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Tenancy_V1.CommandEvent>
  ) async throws {
    _ = try call.requireService()
    var position = CommandWatch.Position(revision: 0)
    if !request.afterPosition.isEmpty {
      position.revision = try core.tokens.revision(token: request.afterPosition)
    }
    let watchers = core.watchers(of: CommandRecord.changeKind)
    let watcher = watchers.begin(
      call,
      scope: request.propertyId,
      replacing: DeviceError.watchReplaced
    )
    defer { watchers.end(watcher) }
    let watch = CommandWatch(
      core: core,
      id: core.identifiers.make(.bridge),
      propertyID: request.propertyId,
      watcher: watcher
    )
    try await core.change(call) { tx in
      try BridgeTable.begin(watch.id, inProperty: watch.propertyID, in: tx)
    }
    try await watch.tell(
      after: position,
      heartbeatInterval: Self.heartbeatInterval,
      on: call,
      to: writer
    )
  }

  func acknowledgeCommand(
    _ request: Tenancy_V1.AcknowledgeCommandRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.AcknowledgeCommandResponse {
    _ = try call.requireService()
    let outcome: CommandRecord.Outcome = request.outcome == .done ? .done : .failed
    let reported = try reported(request.attributes)
    return try await core.change(call) { tx in
      guard var command = try CommandTable.find(request.commandId, in: tx) else {
        throw TenancyError.notFound
      }
      // The first word stays, or a repeated call would undo what has happened since. One that has expired may have
      // been carried out just before.
      if command.outcome == .waiting || command.outcome == .expired {
        var device = try EntityTable.known(command.deviceID, type: SmartHome.device, in: tx)
        try CommandTable.acknowledge(&command, outcome, detail: request.detail, in: tx)
        let changes = try DesiredState.settle(&device, core.policy, tx)
        if outcome == .failed {
          try DesiredState.record(command, "COMMAND_FAILED", changes, core, tx)
        }
        try tx.audit(
          "device.acknowledge",
          object: device.id,
          scope: device.rootID,
          detail: "\(command.id) \(outcome.rawValue)"
        )
        _ = try Self.update(device, reported, core, tx)
        metrics.commands.increment(outcome == .done ? .done : .failed)
      }
      return Tenancy_V1.AcknowledgeCommandResponse(
        outcome: command.outcome == .done ? .done : .failed,
        acknowledgedAt: command.acknowledgedAt.map { .init(milliseconds: $0) }
      )
    }
  }

  func reportState(
    _ request: Tenancy_V1.ReportDeviceStateRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ReportDeviceStateResponse {
    _ = try call.requireService()
    let reported = try reported(request.attributes)
    return try await core.change(call) { tx in
      let device = try EntityTable.known(request.deviceId, type: SmartHome.device, in: tx)
      let changed = try Self.update(device, reported, core, tx)
      return .init(changed: changed, revision: core.tokens.token(revision: tx.revision))
    }
  }

  private func reported(
    _ attributes: Google_Protobuf.Struct?
  ) throws(RPCError) -> [String: JSONValue] {
    let type = deviceType
    let reported = try AttributeMapping.changes(attributes, type: type, reserved: SmartHome.kind)
    try AttributeMapping.requireReported(reported, type: type)
    return reported
  }

  /// Stores what the hardware says of a device; whether that is news.
  private static func update(
    _ device: EntityRecord,
    _ reported: [String: JSONValue],
    _ core: TenancyCore,
    _ tx: borrowing WriteTransaction
  ) throws -> Bool {
    var after = device
    after.attributes = try AttributeMapping.merged(device.attributes, reported)
    guard after != device else { return false }
    after.reportedAt = tx.now
    after = try EntityTable.put(after, insteadOf: device, core.policy, isReport: true, in: tx)
    try tx.audit("device.report", from: device, to: after)
    return true
  }
}
