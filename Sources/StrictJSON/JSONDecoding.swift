/// A value that does not fit what a program expects of it.
public struct JSONDecodingError: Error, Equatable, CustomStringConvertible {
  /// Where the value is: names and indices from the outermost value, `roles[2].name`; empty for the
  /// whole text.
  public let path: String
  /// The problem.
  public let problem: String

  /// Makes an error.
  public init(path: String, problem: String) {
    self.path = path
    self.problem = problem
  }

  /// Place and problem.
  public var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}

/// A value and where it was found, for decoding into types of our own.
public struct JSONField: Sendable {
  /// The value.
  public let value: JSONValue
  /// Where it is; see `JSONDecodingError.path`.
  public let path: String

  /// The outermost value of a text.
  public init(_ value: JSONValue, path: String = "") {
    self.value = value
    self.path = path
  }

  /// An error about this value.
  public func error(_ problem: String) -> JSONDecodingError {
    JSONDecodingError(path: path, problem: problem)
  }

  private func expected(_ kind: String) -> JSONDecodingError {
    error("must be \(kind), not \(value.kind)")
  }

  /// The value as a string.
  public func string() throws(JSONDecodingError) -> String {
    guard let string = value.string else { throw expected("a string") }
    return string
  }

  /// The value as a truth value.
  public func boolean() throws(JSONDecodingError) -> Bool {
    guard let boolean = value.boolean else { throw expected("true or false") }
    return boolean
  }

  /// The value as a whole number of the range.
  public func integer(in range: ClosedRange<Int64>) throws(JSONDecodingError) -> Int64 {
    guard let integer = value.integer else { throw expected("an integer") }
    guard range.contains(integer) else {
      throw error("\(integer) is not between \(range.lowerBound) and \(range.upperBound)")
    }
    return integer
  }

  /// The value as one of the raw values of an enumeration.
  public func choice<Choice: RawRepresentable & CaseIterable>(
    of type: Choice.Type
  ) throws(JSONDecodingError) -> Choice where Choice.RawValue == String {
    let text = try string()
    guard let choice = Choice(rawValue: text) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw error("\"\(text)\" must be one of: \(known)")
    }
    return choice
  }

  /// The elements of the value, which must be an array.
  public func elements() throws(JSONDecodingError) -> [JSONField] {
    guard let elements = value.array else { throw expected("an array") }
    return elements.enumerated().map { JSONField($1, path: "\(path)[\($0)]") }
  }

  /// The value as an array of strings.
  public func strings() throws(JSONDecodingError) -> [String] {
    var strings: [String] = []
    for element in try elements() { strings.append(try element.string()) }
    return strings
  }

  /// The members of the value, which must be an object.
  public func members() throws(JSONDecodingError) -> JSONMembers {
    guard let object = value.object else { throw expected("an object") }
    return JSONMembers(object, path: path)
  }
}

/// The members of an object, each to be taken once; what nobody takes is an error.
public struct JSONMembers {
  private let path: String
  private let object: JSONObject
  private var taken: Set<String> = []

  init(_ object: JSONObject, path: String) {
    self.object = object
    self.path = path
  }

  /// Takes a member that must be there.
  public mutating func required(_ name: String) throws(JSONDecodingError) -> JSONField {
    guard let field = optional(name) else {
      throw JSONDecodingError(path: path(of: name), problem: "is missing")
    }
    return field
  }

  /// Takes a member that may be missing; null counts as missing.
  public mutating func optional(_ name: String) -> JSONField? {
    taken.insert(name)
    guard let value = object[name], value != .null else { return nil }
    return JSONField(value, path: path(of: name))
  }

  /// Takes all members that nobody has taken, in their order: for objects whose names are data.
  public mutating func rest() -> [(name: String, field: JSONField)] {
    let rest = object.members.filter { !taken.contains($0.name) }
    taken.formUnion(rest.map(\.name))
    return rest.map { ($0.name, JSONField($0.value, path: path(of: $0.name))) }
  }

  /// Throws when a member is left that nobody took: a misspelt setting must not be ignored.
  public func finish() throws(JSONDecodingError) {
    if let unknown = unknown().first { throw unknown }
  }

  /// An error for each member that nobody took, in their order.
  public func unknown() -> [JSONDecodingError] {
    let unknown = object.members.filter { !taken.contains($0.name) }
    guard !unknown.isEmpty else { return [] }
    let known = taken.sorted().joined(separator: ", ")
    return unknown.map {
      JSONDecodingError(
        path: path(of: $0.name),
        problem: "is unknown; known are: \(known)"
      )
    }
  }

  private func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}
