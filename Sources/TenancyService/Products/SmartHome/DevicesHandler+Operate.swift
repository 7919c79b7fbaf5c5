internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

extension DevicesHandler {
  /// Decides, records and carries out one operation, in one transaction.
  ///
  /// A refusal is committed as a record before it becomes an error, and is kept under the idempotency
  /// key like any other answer.
  func operate(
    _ request: Tenancy_V1.OperateDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.OperateDeviceResponse {
    let user = try call.requireUser()
    var request = request
    let (core, id, policy) = (core, request.deviceId, core.policy)
    let (name, operation) = try Self.operation(request.operation, policy)
    request.operation = name
    let action = "\(SmartHome.device).\(name)"
    let parameters = try OperationParameters(request.parameters, of: operation, named: name)
    let actorName = Lock<String?>(nil)
    var response = try await core.write(
      call,
      key: request.idempotencyKey,
      request: AttributeMapping.bytes(of: request, [request.parameters]) { $0.parameters = nil }
    ) { changes, tx in
      // A reload may have taken the action away in the meantime; what is not there is not allowed.
      let explanation = try core.ruling(action, on: id, user, tx)
      let before = try EntityTable.find(id, type: SmartHome.device, in: tx)
      var record = AccessRecord(
        id: core.identifiers.make(.accessRecord),
        deviceID: id,
        userID: user.userID,
        operation: name,
        succeeded: explanation.isAllowed && before != nil,
        reason: explanation.reason.rawValue,
        role: explanation.isAllowed ? explanation.role ?? "" : "",
        recordedAt: tx.now
      )
      guard let before, explanation.isAllowed else {
        return try refuse(record, explanation, device: before, changes, tx)
      }
      let place = try DevicePlace.find(of: before, now: tx.now, actor: user.userID, in: tx)
      actorName.withLock { $0 = place.actorName }
      var after = before
      let hasExpired = place.hasExpiredCommand
      if hasExpired { after = try DesiredState.settled(before, now: tx.now, tx) }
      let desired = try Self.setDesired(operation, parameters, of: &after)
      record.changes = desired
      if operation.setsAttributes {
        record.changes += parameters.values.sorted { $0.key < $1.key }.map { name, value in
          SettingChange(
            name: name,
            from: before.attributes[name],
            to: SettingChange.present(value)
          )
        }
        after.attributes = try AttributeMapping.merged(
          before.attributes,
          parameters.values,
          field: "parameters"
        )
      }
      try AccessTable.insert(record, in: tx)
      // What changes nothing leaves a record all the same.
      if after == before { try core.auditBudget.take(user.userID) }
      let device = try operated(
        before,
        to: after,
        isAskedAgain: hasExpired,
        action: action,
        changes,
        tx
      )
      let message = core.message(device: device, at: place, explanation)
      var command: CommandRecord?
      if operation.isCommand {
        command = try CommandTable.give(
          name,
          parameters.bytes,
          setting: desired,
          to: id,
          inProperty: message.propertyId,
          id: core.identifiers.make(.command),
          in: tx
        )
        metrics.commands.increment(.given)
      }
      return Tenancy_V1.OperateDeviceResponse(
        record: Self.message(record),
        device: message,
        commandId: command?.id ?? ""
      )
    }
    guard response.record?.succeeded == true else { throw refusal(response, action: action) }
    core.firstUses.note(user.userID, on: id)
    // Not in what is kept for a repeated request, which is the only one that asks for the name by itself.
    if let name = actorName.withLock({ $0 }) {
      response.record?.displayName = name
    } else if let record = response.record {
      response.record = await core.namedIfPossible(record)
    }
    return response
  }

  /// Asks a device for what an operation sets; what has changed by that.
  private static func setDesired(
    _ operation: Policy.Operation,
    _ parameters: OperationParameters,
    of device: inout EntityRecord
  ) throws(RPCError) -> [SettingChange] {
    var changes: [SettingChange] = []
    func set(_ name: String, _ value: JSONValue) {
      changes.append(SettingChange(name: name, from: device[desired: name], to: value))
      device[desired: name] = value
    }
    if let state = operation.desiredState { set(SettingChange.state, .string(state)) }
    guard !operation.setsAttributes else { return changes }
    for parameter in operation.parameters {
      if let value = parameters.values[parameter.name] { set(parameter.sets, value) }
    }
    // As large as attributes may be.
    device.desiredValues = try AttributeMapping.merged(
      device.desiredValues,
      [:],
      field: "parameters"
    )
    return changes
  }

  /// An operation by its name, and its name in the policy: `setTemperature` is `set_temperature` as well.
  private static func operation(
    _ given: String,
    _ policy: Policy
  ) throws(RPCError) -> (name: String, Policy.Operation) {
    let type = policy.type(named: SmartHome.device)
    for name in [given, snakeCase(given)] {
      guard let type, let action = policy.action(named: "\(SmartHome.device).\(name)"),
        let operation = policy.rule(of: action, on: type)?.operation
      else { continue }
      return (name, operation)
    }
    let known = type.map { policy.operations(on: $0) } ?? []
    throw ErrorCatalog.tenancy.invalid(
      "operation",
      "OPERATION_UNKNOWN",
      "\"\(given)\" is not an operation of devices; use \(known.joined(separator: ", "))"
    )
  }

  /// `set_temperature` of `setTemperature`.
  private static func snakeCase(_ name: String) -> String {
    var result = ""
    for character in name {
      if character.isASCII, character.isUppercase {
        result += "_\(character.lowercased())"
      } else {
        result.append(character)
      }
    }
    return result
  }

  /// Stores what an operation made of a device, with the one audit record of the operation.
  ///
  /// `isAskedAgain` means that an earlier command has expired, which the store need not have yet: to those who watch it
  /// is news that the same is asked for once more.
  private func operated(
    _ before: EntityRecord,
    to after: EntityRecord,
    isAskedAgain: Bool,
    action: String,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    try tx.event(
      "device.operated",
      object: before.id,
      scope: before.rootID,
      EventData(["operation": AuditedAction(action, .changed).deed])
    )
    guard after == before else {
      return try changes.update(from: before, to: after, action: action, tx)
    }
    try tx.audit(action, object: before.id, scope: before.rootID)
    guard isAskedAgain else { return before }
    return try EntityTable.put(after, insteadOf: before, changes.policy, in: tx)
  }

  /// Records a refusal; the answer says what became of it, see `refusal`.
  private func refuse(
    _ record: AccessRecord,
    _ explanation: Explanation,
    device: EntityRecord?,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws -> Tenancy_V1.OperateDeviceResponse {
    try changes.core.auditBudget.take(changes.user.userID)
    // Of a device that is not there no history is kept, but the attempt is audited like the others:
    // both take one durable write, so that the time does not tell which it was.
    if device != nil {
      if explanation.decision.heldRoles.isEmpty {
        metrics.droppedAttempts.add(try AccessTable.insertBounded(record, in: tx))
      } else {
        try AccessTable.insert(record, in: tx)
      }
    }
    try tx.audit(
      "\(SmartHome.device).\(record.operation)",
      object: record.deviceID,
      scope: device?.rootID ?? "",
      outcome: .refused,
      detail: record.reason
    )
    if let device {
      try tx.event(
        "device.refused",
        object: device.id,
        scope: device.rootID,
        EventData(["operation": record.operation, "reason": record.reason])
      )
    }
    var answer = Self.message(record)
    // Kept only for the answer: nobody who may not know of the device learns more than that, and who is
    // suspended gets that answer for every device.
    if explanation.reason != .subjectSuspended, !explanation.isKnown || device == nil {
      answer.reason = ReasonCode.entityUnknown.rawValue
    }
    return Tenancy_V1.OperateDeviceResponse(record: answer)
  }

  private func refusal(
    _ response: Tenancy_V1.OperateDeviceResponse,
    action: String
  ) -> RPCError {
    let reason = response.record.flatMap { ReasonCode(rawValue: $0.reason) } ?? .entityUnknown
    // Why it was in truth is in the audit record of the same request.
    let device = response.record?.deviceId ?? ""
    guard reason != .entityUnknown else {
      return TenancyError.notFound.denying(action, on: device, because: reason)
    }
    let policy = core.policy
    let roles = policy.action(named: action).flatMap { action in
      policy.type(named: SmartHome.device).flatMap { policy.rule(of: action, on: $0) }
    }
    return core.denied(
      reason,
      action,
      on: device,
      sufficientRoles: roles?.grants.roles.map { policy[$0].name } ?? []
    )
  }
}
