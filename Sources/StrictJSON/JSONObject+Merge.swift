extension JSONObject {
  /// Merges members into it (RFC 7396, section 2): each replaces the one of the same name, null removes
  /// it, objects are merged in turn, and all others stay.
  ///
  /// As deep as both objects are, so bound that when they are read (`JSONLimits.depthMax`).
  public mutating func merge(_ patch: JSONObject) { self = Self.merged(patch, into: self) }

  /// Names are looked up by their hashes, because both may have a hundred thousand members.
  private static func merged(_ patch: JSONObject, into target: JSONObject) -> JSONObject {
    var changes: [String: JSONValue] = [:]
    for member in patch.members { changes[member.name] = member.value }
    var result = JSONObject()
    for member in target.members {
      guard let change = changes.removeValue(forKey: member.name) else {
        result.append(name: member.name, value: member.value)
        continue
      }
      append(member.name, change, to: &result, insteadOf: member.value)
    }
    for member in patch.members where changes[member.name] != nil {
      append(member.name, member.value, to: &result, insteadOf: nil)
    }
    return result
  }

  private static func append(
    _ name: String,
    _ change: JSONValue,
    to result: inout JSONObject,
    insteadOf old: JSONValue?
  ) {
    switch change {
    case .null: break
    case .object(let patch):
      result.append(name: name, value: .object(merged(patch, into: old?.object ?? JSONObject())))
    default: result.append(name: name, value: change)
    }
  }
}
