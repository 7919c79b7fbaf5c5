internal import StrictJSON

/// Mistakes of policies, noted while reading continues, so that all are reported together.
final class PolicyProblems {
  private(set) var noted: [PolicyError.Problem] = []
  /// The file that is being read.
  var source = ""

  /// Notes a mistake.
  func note(_ path: String, _ problem: String) {
    noted.append(PolicyError.Problem(source: source, path: path, problem: problem))
  }

  /// Notes a mistake.
  func note(_ error: JSONDecodingError) { note(error.path, error.problem) }

  /// Throws what is noted so far.
  func throwIfAny() throws(PolicyError) {
    guard noted.isEmpty else { throw PolicyError(noted) }
  }

  /// The value that `body` reads; nil, and a mistake more, when it cannot be read.
  func attempt<Value>(_ body: () throws(JSONDecodingError) -> Value) -> Value? {
    do {
      return try body()
    } catch {
      note(error)
      return nil
    }
  }

  /// The elements of an array; none, and a mistake more, when it is something else.
  func elements(_ field: JSONField?) -> [JSONField] {
    guard let field else { return [] }
    return attempt { () throws(JSONDecodingError) in try field.elements() } ?? []
  }

  /// The members of an object whose names are data; none, and a mistake more, when it is something
  /// else.
  func members(_ field: JSONField?) -> [PolicyMember] {
    guard let field else { return [] }
    return attempt { () throws(JSONDecodingError) in try field.members().all() } ?? []
  }
}

/// The members of an object of a policy, each to be taken once; mistakes are noted.
struct PolicyObject {
  private var members: JSONMembers
  private let problems: PolicyProblems

  /// Nil, and a mistake more, when the value is no object.
  init?(_ field: JSONField, _ problems: PolicyProblems) {
    let members = problems.attempt { () throws(JSONDecodingError) in try field.members() }
    guard let members else { return nil }
    self.members = members
    self.problems = problems
  }

  /// Takes a member that may be missing.
  mutating func optional(_ name: String) -> JSONField? { members.optional(name) }

  /// Takes a member; nil, and a mistake more, when it is missing.
  mutating func required(_ name: String) -> JSONField? {
    do {
      return try members.required(name)
    } catch {
      problems.note(error)
      return nil
    }
  }

  /// Takes and reads a member that may be missing; nil also when it cannot be read.
  mutating func optional<Value>(
    _ name: String,
    _ read: (JSONField) throws(JSONDecodingError) -> Value
  ) -> Value? {
    guard let field = members.optional(name) else { return nil }
    return problems.attempt { () throws(JSONDecodingError) in try read(field) }
  }

  /// Takes and reads a member; nil when it is missing or cannot be read.
  mutating func required<Value>(
    _ name: String,
    _ read: (JSONField) throws(JSONDecodingError) -> Value
  ) -> Value? {
    guard let field = required(name) else { return nil }
    return problems.attempt { () throws(JSONDecodingError) in try read(field) }
  }

  /// Notes each member that nobody took.
  func finish() {
    for unknown in members.unknown() { problems.note(unknown) }
  }
}
