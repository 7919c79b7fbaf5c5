internal import ServiceKit

extension EntityRecord {
  func event(of action: AuditedAction, after before: EntityRecord?) -> RecordEvent? {
    let data = EventData(["entityType": type, "parentId": parentID])
    switch action.effect {
    case .made: return RecordEvent(type: "entity.created", data: data)
    case .removed: return RecordEvent(type: "entity.deleted", data: data)
    case .changed where before?.parentID != parentID:
      let moved = EventData([
        "entityType": type, "parentId": parentID, "formerParentId": before?.parentID,
      ])
      return RecordEvent(type: "entity.moved", data: moved)
    // Of operations and of the states that devices report there are other events, or none.
    case .changed:
      guard action.deed == "update" else { return nil }
      return RecordEvent(
        type: "entity.updated",
        data: EventData(["entityType": type, "changed": changed(since: before)])
      )
    }
  }

  /// Names of what was changed, not what it was changed to.
  private func changed(since before: EntityRecord?) -> String? {
    guard let before else { return nil }
    var names = before.name == name ? [] : ["name"]
    let (former, current) = (before.attributes, attributes)
    names += Set(former.keys).union(current.keys).filter { former[$0] != current[$0] }.sorted()
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }
}
