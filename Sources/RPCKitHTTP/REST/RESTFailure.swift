internal import RPCKit
internal import Reflection
internal import StrictJSON

/// Why a request is refused before there is a call: an error, and the status where it is not the code's.
struct RESTFailure: Error {
  let error: RPCError
  var status: Int?
  /// Header fields that belong to the status.
  var fields: HTTPFields = [:]

  init(_ error: RPCError, status: Int? = nil, fields: HTTPFields = [:]) {
    self.error = error
    self.status = status
    self.fields = fields
  }

  /// A field is wrong; `problem` reads on from its name, and stands alone with an empty one.
  static func invalid(_ field: String, _ problem: String) -> RESTFailure {
    let name = String(field.prefix(128))
    let message = name.isEmpty ? problem : "\(name) \(problem)"
    let details =
      name.isEmpty
      ? [] : [RPCError.Detail.badRequest([FieldViolation(field: name, description: problem)])]
    return RESTFailure(
      RPCError(
        .invalidArgument,
        name.isEmpty ? .malformedRequest : .fieldViolations,
        message,
        details: details
      )
    )
  }

  /// The request does not fit the contract.
  init(_ error: SchemaError) {
    self =
      error.field.isEmpty
      ? .invalid("", error.problem) : .invalid(error.field, error.problem)
  }

  /// The body is no JSON.
  init(_ error: JSONError) {
    self = .invalid("", "the body is not the JSON that is accepted: \(error)")
  }
}
