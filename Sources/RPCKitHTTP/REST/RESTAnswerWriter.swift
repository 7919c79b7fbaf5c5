internal import RPCKit
internal import Reflection
internal import StrictJSON

/// Makes JSON of the responses of one request, on the loop or elsewhere.
struct RESTAnswerWriter: Sendable {
  private let target: RESTTarget
  private let reader: RESTRequestReader

  init(_ target: RESTTarget, _ reader: RESTRequestReader) {
    (self.target, self.reader) = (target, reader)
  }

  /// The answer of a call with one response.
  func answer(_ protobuf: [UInt8]) throws(RPCError) -> [UInt8] {
    if let answer = plannedAnswer(protobuf) { return answer }
    var data = try json(protobuf)
    if let paging = target.route.paging, case .object(var object) = data {
      paging.addPagination(to: &object, request: reader.fields)
      data = .object(object)
    }
    let isPlain = target.route.binding.isPlain
    let answer: JSONValue = isPlain ? data : ["status": "success", "data": data]
    return answer.bytes
  }

  /// A line of a stream of responses.
  func line(_ protobuf: [UInt8]) throws(RPCError) -> [UInt8] {
    var line = Array(#"{"data":"#.utf8)
    guard appendData(of: protobuf, to: &line) else {
      return (["data": try json(protobuf)] as JSONValue).bytes
    }
    line.append(UInt8(ascii: "}"))
    return line
  }

  /// The answer without a tree of its values; nil when only that can tell.
  private func plannedAnswer(_ protobuf: [UInt8]) -> [UInt8]? {
    let isPlain = target.route.binding.isPlain
    var answer: [UInt8] = []
    // Most texts are less than twice as long as their messages, and the names of their fields.
    answer.reserveCapacity(2 * protobuf.count + 128)
    if !isPlain { answer += #"{"status":"success","data":"#.utf8 }
    guard appendData(of: protobuf, to: &answer) else { return nil }
    if let paging = target.route.paging {
      guard let pagination = paging.pagination(of: protobuf, request: reader.fields) else {
        return nil
      }
      // The data is an object, with the fields of a page in it.
      answer.removeLast()
      answer += #","pagination":"#.utf8
      answer += JSONValue.object(pagination).bytes
      answer.append(UInt8(ascii: "}"))
    }
    if !isPlain { answer.append(UInt8(ascii: "}")) }
    return answer
  }

  private func appendData(of protobuf: [UInt8], to text: inout [UInt8]) -> Bool {
    let (route, plans) = (target.route, target.shared.plans)
    guard let plan = route.responsePlan else { return false }
    guard let field = route.responseField else {
      return plans.append(protobuf, as: plan, to: &text)
    }
    return plans.append(field: field.number, of: protobuf, as: plan, to: &text)
  }

  /// A message of a stream as a server-sent event.
  func event(_ protobuf: [UInt8], _ format: EventFormat) throws(RPCError) -> [UInt8] {
    format.event(try json(protobuf))
  }

  /// A message, or the field of it that is the answer.
  private func json(_ protobuf: [UInt8]) throws(RPCError) -> JSONValue {
    do throws(SchemaError) {
      let type = target.method.descriptor.responseType
      let value = try target.shared.json.decode(protobuf, as: type)
      guard let field = target.route.responseField else { return value }
      return value.object?[field.jsonName] ?? .null
    } catch {
      throw RPCError(
        .internal,
        .internalError,
        "the answer cannot be written as JSON",
        cause: error
      )
    }
  }
}
