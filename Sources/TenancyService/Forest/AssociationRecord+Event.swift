internal import Reflection
internal import ServiceKit

extension AssociationRecord {
  func event(of action: AuditedAction, after _: AssociationRecord?) -> RecordEvent? {
    let type =
      switch action.effect {
      case .made: "role.granted"
      case .changed: "role.changed"
      case .removed: "role.ended"
      }
    return RecordEvent(
      type: type,
      userID: userID,
      data: eventData(why: action.effect == .removed ? action.deed : nil)
    )
  }

  /// The members of events about a role; `why` it ended.
  func eventData(why: String?) -> EventData {
    EventData([
      "associationId": id,
      "role": customRole.isEmpty ? role : customRole,
      "entityId": entityID,
      "entityType": entityType,
      "validFrom": validFrom.map { InstantText.text($0) },
      "validUntil": validUntil.map { InstantText.text($0) },
      "why": why,
    ])
  }
}
