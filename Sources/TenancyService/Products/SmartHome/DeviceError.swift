internal import RPCKit
internal import ServiceKit

enum DeviceError {
  static let notSameProperty = ErrorCatalog.tenancy.precondition(
    "NOT_SAME_PROPERTY",
    "the device must be in the same property"
  )

  /// `unitID`: the unit that it is in; empty when the caller may not know that.
  static func elsewhere(_ deviceID: String, unitID: String) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "DEVICE_ELSEWHERE",
      "device \(deviceID) is in \(unitID.isEmpty ? "another unit" : "unit \(unitID)"); "
        + "assign it with take to move it",
      ["device_id": deviceID, "unit_id": unitID].filter { !$0.value.isEmpty }
    )
  }

  /// Every parameter that is wrong, each by its name.
  static func parametersInvalid(_ violations: [FieldViolation]) -> RPCError {
    let more = violations.count > 1 ? " (and \(violations.count - 1) more)" : ""
    let first = violations.first.map { "\($0.field) \($0.description)" } ?? ""
    var error = ErrorCatalog.tenancy.invalidRequest("PARAMETERS_INVALID", first + more)
    error.details.append(.badRequest(violations))
    return error
  }

  static let listCut = EntityError.listCut(
    "device_ids",
    shownCount: TenancyCore.namedCountMax,
    adding: "assign and unassign devices one by one"
  )

  static let bridgeTooSlow = ErrorCatalog.tenancy.limited(
    "WATCH_TOO_SLOW",
    "more than \(CommandLimits.missedCountMax) commands were given before an event was taken; "
      + "watch again after the position of the last event",
    retryAfter: .seconds(1)
  )

  static let watchReplaced = ErrorCatalog.tenancy.conflict(
    "WATCH_REPLACED",
    "another watch of the same property has begun; run one bridge for each property"
  )
}
