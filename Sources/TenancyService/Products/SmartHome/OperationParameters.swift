internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The parameters of a request to operate a device, checked against those that the policy gives the operation.
struct OperationParameters: Sendable {
  /// The parameters by name, with the defaults of those that were left out; null removes a setting.
  let values: [String: JSONValue]

  /// PARAMETERS_INVALID with every violation if a parameter is unknown, missing or out of its range.
  init(
    _ given: Google_Protobuf.Struct?,
    of operation: Policy.Operation,
    named name: String
  ) throws(RPCError) {
    let given = given?.fields ?? [:]
    guard !given.isEmpty || !operation.parameters.isEmpty else {
      values = [:]
      return
    }
    var values: [String: JSONValue] = [:]
    var violations: [FieldViolation] = []
    func note(_ parameter: String, _ problem: String) {
      violations.append(FieldViolation(field: "parameters.\(parameter)", description: problem))
    }
    for parameter in operation.parameters {
      do throws(Attribute.ValueError) {
        values[parameter.name] = try Self.value(
          given[parameter.name],
          of: parameter,
          isSetting: operation.setsAttributes
        )
      } catch {
        note(parameter.name, error.problem)
      }
    }
    let known = Set(operation.parameters.map(\.name))
    for unknown in given.keys.filter({ !known.contains($0) }).sorted() {
      let taken = known.isEmpty ? "none" : operation.parameters.map(\.name).joined(separator: ", ")
      note(unknown, "is not a parameter of \(name); it takes \(taken)")
    }
    guard violations.isEmpty else { throw DeviceError.parametersInvalid(violations) }
    self.values = values
  }

  /// The value of a parameter as it is stored; nil if there is none.
  private static func value(
    _ given: Google_Protobuf.Value?,
    of parameter: Policy.Parameter,
    isSetting: Bool
  ) throws(Attribute.ValueError) -> JSONValue? {
    // Numbers that JSON does not have become none.
    let json = given.map { AttributeMapping.json($0) }
    switch json {
    case nil, .some(.some(.null)):
      if isSetting { return json ?? nil }
      guard !parameter.isRequired else { throw Attribute.ValueError(problem: "must be set") }
      return parameter.defaultValue.map { AttributeMapping.json($0) }
    case .some(let value):
      // Something that is of no kind is of the wrong one.
      let typed = value.flatMap { AttributeMapping.typed($0) }
      try parameter.kind.check(typed, unit: parameter.unit)
      return value
    }
  }

  /// A JSON object, with the same bytes for the same values.
  var bytes: [UInt8] {
    var object = JSONObject()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { object[name] = value }
    return JSONValue.object(object).bytes
  }
}
