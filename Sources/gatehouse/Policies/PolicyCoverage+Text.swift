internal import AccessEngine
internal import ServiceKit

extension PolicyCoverage {
  /// The contents, in one line.
  func summary(of policy: Policy) -> String {
    let roles = policy.roles.count { !Policy.builtInRoles.contains($0.name) }
    let touched = pairs.count - untouched.count
    return "\(policy.summary): \(policy.types.count - 1) types, \(roles) roles, "
      + "\(policy.actions.count) actions; \(assertionCount) assertions hold and touch \(touched) of "
      + "\(pairs.count) pairs of a role and an action"
  }

  /// Those pairs that a role grants first: nothing would notice if it did so no longer.
  var lines: [String] {
    let groups = [
      ("granted, and no assertion asks:", untouched.filter(\.isGranted)),
      ("not granted, and no assertion asks:", untouched.filter { !$0.isGranted }),
    ]
    return groups.flatMap { title, pairs in
      pairs.isEmpty ? [] : [title] + pairs.map { "  \($0.role)  \($0.action) on \($0.type)" }
    }
  }

  /// The summary for programs.
  func json(of policy: Policy) -> JSONValue {
    [
      "policies": .array(
        policy.documents.map {
          ["name": .string($0.name), "version": .number(JSONNumber($0.version))]
        }
      ),
      "assertions": .number(JSONNumber(assertionCount)),
      "pairs": .number(JSONNumber(pairs.count)),
      "touched": .number(JSONNumber(pairs.count - untouched.count)),
    ]
  }
}

extension PolicyCoverage.Pair {
  /// For programs.
  var json: JSONValue {
    [
      "role": .string(role), "action": .string(action), "type": .string(type),
      "granted": .boolean(isGranted),
    ]
  }
}
