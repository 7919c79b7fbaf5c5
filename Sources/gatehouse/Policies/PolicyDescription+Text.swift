internal import AccessEngine
internal import ServiceKit

extension PolicyDescription.Role {
  /// The role, and below it a line for all actions of a type that have the same conditions.
  func lines(style: TextStyle) -> [String] {
    var groups: [(first: PolicyDescription.Grant, actions: [String])] = []
    for grant in grants {
      if let place = groups.firstIndex(where: { $0.first.isAlike(grant) }) {
        groups[place].actions.append(grant.action)
      } else {
        groups.append((grant, [grant.action]))
      }
    }
    let width = groups.map(\.first.place.count).max() ?? 0
    return [style.heading(FailureText.printable("\(name): \(outline)"))]
      + groups.map { group in
        let padding = String(repeating: " ", count: width - group.first.place.count)
        let actions = group.actions.joined(separator: ", ")
        let line =
          "  \(group.first.place)\(padding)  \(actions)\(group.first.takes)\(group.first.rules)"
        // Choices of attributes are whatever the file says.
        return FailureText.printable(line)
      }
  }

  /// For programs.
  var json: JSONValue {
    [
      "role": .string(name), "heldOn": .array(heldOn.map { .string($0) }),
      "reaches": .array(reaches.map { .string($0) }), "accessLevel": .string(accessLevel),
      "notes": .array(notes.map { .string($0) }), "grants": .array(grants.map(\.json)),
    ]
  }
}

extension PolicyDescription {
  /// The entities and members that count against limits.
  func limitLines(style: TextStyle) -> [String] {
    guard !limits.isEmpty else { return [] }
    return [style.heading("limits:")]
      + limits.map { FailureText.printable("  \($0.counted) counts against \($0.outline)") }
  }
}

extension PolicyDescription.Limit {
  /// For programs.
  var json: JSONValue {
    ["counted": .string(counted), "limit": .string(limit), "of": .string(holderType)]
  }
}

extension PolicyDescription.Grant {
  /// Whether both are of the same things under the same conditions.
  fileprivate func isAlike(_ other: Self) -> Bool {
    (type, link, conditions, denies, parameters)
      == (other.type, other.link, other.conditions, other.denies, other.parameters)
  }

  /// `device`, or `device through common_area`.
  var place: String { link.map { "\(type) through \($0)" } ?? type }

  /// ` taking percent integer 0 to 100 %`; empty without parameters.
  var takes: String {
    parameters.isEmpty ? "" : " taking \(parameters.joined(separator: ", "))"
  }

  /// For programs.
  var json: JSONValue {
    [
      "type": .string(type), "action": .string(action), "link": link.map { .string($0) } ?? .null,
      "conditions": .array(conditions.map { .string($0) }),
      "denies": .array(denies.map { .string($0) }),
      "parameters": .array(parameters.map { .string($0) }),
    ]
  }
}
