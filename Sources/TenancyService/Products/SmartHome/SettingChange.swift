internal import ServiceKit

/// A value that an operation sets: what a device is asked for, or a setting of it.
struct SettingChange: Hashable, Sendable {
  /// The name of the state that a device is asked for.
  static let state = "state"

  let name: String
  /// Nil for none.
  let from: JSONValue?
  /// Nil for none.
  let to: JSONValue?

  /// Changes as the store has them: `{"brightness": [null, 50]}`; empty for none.
  static func text(of changes: [SettingChange]) -> String {
    guard !changes.isEmpty else { return "" }
    var object = JSONObject()
    for change in changes { object[change.name] = [change.from ?? .null, change.to ?? .null] }
    return JSONValue.object(object).text
  }

  /// Changes that the store has; a text that is not ours has none.
  static func changes(_ text: String) -> [SettingChange] {
    guard !text.isEmpty else { return [] }
    let limits = JSONLimits(byteCountMax: EntityRecord.attributesByteCountMax * 8)
    let object = try? JSONReader.read([UInt8](text.utf8), limits: limits).object
    return (object?.members ?? []).compactMap { member in
      guard let pair = member.value.array, pair.count == 2 else { return nil }
      return SettingChange(name: member.name, from: present(pair[0]), to: present(pair[1]))
    }
  }

  /// A value unless it is null.
  ///
  /// Written out, because a plain `nil` becomes JSON's null, which is a value.
  static func present(_ value: JSONValue) -> JSONValue? { value == .null ? .none : .some(value) }
}

extension EntityRecord {
  /// The value last asked of it under a name; nil for none.
  subscript(desired name: String) -> JSONValue? {
    get {
      guard name == SettingChange.state else { return desiredValues[name] }
      return desiredState.isEmpty ? .none : .some(.string(desiredState))
    }
    set {
      if name == SettingChange.state {
        desiredState = newValue?.string ?? ""
      } else {
        desiredValues[name] = newValue
      }
    }
  }

  /// All values last asked of it.
  var desired: [String: JSONValue] {
    var desired = desiredValues
    desired[SettingChange.state] = self[desired: SettingChange.state]
    return desired
  }
}
