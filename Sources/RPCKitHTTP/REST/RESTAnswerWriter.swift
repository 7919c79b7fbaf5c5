internal import RPCKit
internal import Reflection
internal import StrictJSON

/// Makes JSON of the responses of one request, on the loop or elsewhere.
struct RESTAnswerWriter: Sendable {
  private let request: RESTExchange.Request
  private let reader: RESTRequestReader

  init(_ request: RESTExchange.Request, _ reader: RESTRequestReader) {
    (self.request, self.reader) = (request, reader)
  }

  /// The answer of a call with one response.
  func answer(_ protobuf: [UInt8]) throws(RPCError) -> [UInt8] {
    var data = try json(protobuf)
    if let paging = request.route.paging, case .object(var object) = data {
      paging.addPagination(to: &object, request: reader.fields)
      data = .object(object)
    }
    let isPlain = request.route.binding.isPlain
    let answer: JSONValue = isPlain ? data : ["status": "success", "data": data]
    return answer.bytes
  }

  /// A line of a stream of responses.
  func line(_ protobuf: [UInt8]) throws(RPCError) -> [UInt8] {
    (["data": try json(protobuf)] as JSONValue).bytes
  }

  /// A message of a stream as a server-sent event.
  func event(_ protobuf: [UInt8], _ format: EventFormat) throws(RPCError) -> [UInt8] {
    format.event(try json(protobuf))
  }

  /// A message, or the field of it that is the answer.
  private func json(_ protobuf: [UInt8]) throws(RPCError) -> JSONValue {
    do throws(SchemaError) {
      let type = request.method.descriptor.responseType
      let value = try request.shared.json.decode(protobuf, as: type)
      guard let field = request.route.responseField else { return value }
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
