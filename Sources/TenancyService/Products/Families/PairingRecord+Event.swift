internal import ServiceKit

extension PairingRecord {
  func event(of action: AuditedAction, after _: PairingRecord?) -> RecordEvent? {
    RecordEvent(
      type: action.effect == .removed ? "pairing.ended" : "pairing.created",
      object: id,
      data: EventData(["familyId": familyID, "childId": childID])
    )
  }
}
