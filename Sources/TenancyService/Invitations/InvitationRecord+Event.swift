internal import ServiceKit

extension InvitationRecord {
  func event(of action: AuditedAction, after _: InvitationRecord?) -> RecordEvent? {
    let types = [
      "create": "invitation.created", "accept": "invitation.accepted",
      "decline": "invitation.declined", "revoke": "invitation.revoked",
      "update": "invitation.updated",
    ]
    guard let type = types[action.deed] else { return nil }
    return RecordEvent(
      type: type,
      object: id,
      data: EventData(["entityId": entityID, "role": role])
    )
  }
}
