internal import AccessEngine
internal import ServiceKit

extension PolicyDifference {
  /// `+` for what is new, `-` for what is gone, `~` for what is otherwise.
  var lines: [String] {
    guard !isEmpty else { return ["no role may do more, less or anything under other conditions"] }
    return (roles.map(\.line) + grants.map(\.line) + limits.map(\.line))
      .map { FailureText.printable($0) }
  }

  /// A line of JSON for each change.
  var json: [JSONValue] { roles.map(\.json) + grants.map(\.json) + limits.map(\.json) }
}

/// The kind of change.
private enum Change: String {
  case added
  case removed
  case changed

  init(isBefore: Bool, isAfter: Bool) {
    self = isBefore ? isAfter ? .changed : .removed : .added
  }

  var sign: String {
    switch self {
    case .added: "+"
    case .removed: "-"
    case .changed: "~"
    }
  }
}

extension PolicyDifference.RoleChange {
  private var change: Change { Change(isBefore: before != nil, isAfter: after != nil) }

  fileprivate var line: String {
    let outline = [before?.outline, after?.outline].compactMap { $0 }.joined(separator: " -> ")
    return "\(change.sign) role \(name): \(outline)"
  }

  fileprivate var json: JSONValue {
    [
      "change": .string(change.rawValue), "role": .string(name),
      "before": before.map { .string($0.outline) } ?? .null,
      "after": after.map { .string($0.outline) } ?? .null,
    ]
  }
}

extension PolicyDifference.GrantChange {
  private var change: Change { Change(isBefore: before != nil, isAfter: after != nil) }

  fileprivate var line: String {
    guard let grant else { return "" }
    let pair = "\(change.sign) \(role)  \(grant.action) on \(grant.place)"
    guard let before, let after else { return pair + grant.takes + grant.rules }
    return "\(pair):\(Self.rules(of: before)) ->\(Self.rules(of: after))"
  }

  private static func rules(of grant: PolicyDescription.Grant) -> String {
    grant.takes + (grant.conditions.isEmpty ? " always\(grant.rules)" : grant.rules)
  }

  fileprivate var json: JSONValue {
    [
      "change": .string(change.rawValue), "role": .string(role),
      "before": before?.json ?? .null, "after": after?.json ?? .null,
    ]
  }
}

extension PolicyDifference.LimitChange {
  private var change: Change { Change(isBefore: before != nil, isAfter: after != nil) }

  fileprivate var line: String {
    let outline = [before?.outline, after?.outline].compactMap { $0 }.joined(separator: " -> ")
    return "\(change.sign) \(counted) counts against \(outline)"
  }

  fileprivate var json: JSONValue {
    [
      "change": .string(change.rawValue), "counted": .string(counted),
      "before": before?.json ?? .null, "after": after?.json ?? .null,
    ]
  }
}
