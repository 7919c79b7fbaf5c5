internal import ServiceKit

extension RoleDefinitionRecord {
  func event(of action: AuditedAction, after _: RoleDefinitionRecord?) -> RecordEvent? {
    RecordEvent(
      type: action.effect == .removed ? "role_definition.deleted" : "role_definition.changed",
      object: id,
      data: EventData(["entityId": rootID, "name": name])
    )
  }
}
