/// A message or a JSON text that does not fit its schema.
public struct SchemaError: Error, Equatable, CustomStringConvertible {
  /// Where and what, for people.
  public let description: String
  /// The field, as a path of JSON names: `guests[2].email`; empty when it is no single one.
  public let field: String
  /// The problem, to be read behind its name; a sentence of its own without a field.
  public let problem: String

  /// Makes an error.
  public init(_ description: String) {
    self.description = description
    field = ""
    problem = description
  }

  /// Makes an error of a field; of the whole with an empty path.
  package init(at field: String, _ problem: String) {
    description = field.isEmpty ? problem : "\(field): \(problem)"
    self.field = field
    self.problem = problem
  }

  /// Makes an error of a member that is no field of the message at `path`, of a type that has those of `known`.
  package init(unknown name: String, of type: String, at path: String, known: String) {
    let place = path.isEmpty ? "" : "\(path): "
    description = "\(place)\(type) has no field \"\(name)\"; it has: \(known)"
    field = path.isEmpty ? name : "\(path).\(name)"
    problem = "is no field of \(type); it has: \(known)"
  }
}
