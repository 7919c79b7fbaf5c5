internal import StrictJSON

/// The names that applications have for types, roles and actions of a policy, where these are others: an
/// application that was written before the policy spells `stable_manager` as `stableManager`.
public struct AppNames: Sendable {
  /// Of each type that has one, by the name in the policy.
  public internal(set) var types: [String: String] = [:]
  /// Of each role.
  public internal(set) var roles: [String: String] = [:]
  /// Of each action.
  public internal(set) var actions: [String: String] = [:]

  /// Whether applications know both.
  package func know(type: String, role: String) -> Bool {
    types[type] != nil && roles[role] != nil
  }

  /// The name of a type in applications; without one, that of the policy in capitals.
  package func name(ofType type: String) -> String { types[type] ?? type.uppercased() }

  /// The name of a role in applications; without one, that of the policy in capitals.
  package func name(ofRole role: String) -> String { roles[role] ?? role.uppercased() }
}

/// The member `app_name` of types, roles and actions.
extension PolicyReader {
  /// Reads the name of one that is called `name` in the policy.
  ///
  /// Two types, and two actions, of one file have different ones: an application could not tell them apart. Several
  /// roles may be one to applications.
  mutating func readAppName(
    _ object: inout PolicyObject,
    of name: String,
    into names: WritableKeyPath<AppNames, [String: String]>,
    _ scope: PolicyDocument
  ) {
    guard let field = object.optional("app_name") else { return }
    let appName = problems.attempt { () throws(JSONDecodingError) in
      let text = try field.string()
      guard Self.isAppName(text) else {
        throw field.error("must be 1 to 64 of A-Z, a-z, 0-9 and _, and begin with a letter")
      }
      return text
    }
    guard let appName else { return }
    // An action of several types is one to applications.
    if let other = appNames[keyPath: names][name], other != appName {
      problems.note(field.error("must be \"\(other)\", as elsewhere"))
    }
    let others = Array(scope.types.keys) + scope.actions
    let isTaken = others.contains { $0 != name && appNames[keyPath: names][$0] == appName }
    if isTaken, names != \.roles { problems.note(field.error("is the name of another one")) }
    appNames[keyPath: names][name] = appName
  }

  private static func isAppName(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 64 else { return false }
    let isLetter = { (byte: UInt8) in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    return isLetter(first)
      && text.utf8.allSatisfy {
        isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || $0 == UInt8(ascii: "_")
      }
  }
}
