internal import RPCKit
internal import Reflection
internal import StrictJSON

/// Makes the message of a request out of its path, query, headers and body, when its caller has been let in: what
/// the fields of a message are is not for strangers, nor is the work of finding out.
///
/// Reads on the loop or in the call's task. Requests with the same head share one; but where answers are pages each has
/// its own, which reads once, and is asked on the loop afterwards what it found.
final class RESTRequestReader: Sendable {
  private let target: RESTTarget
  private let head: HTTPRequestHead
  private let idempotencyKey: String?
  private let lastEventID: String?
  private let found = Lock(JSONObject())

  init(_ reading: RESTReading) {
    (target, head) = (reading.target, reading.head)
    (idempotencyKey, lastEventID) = (reading.idempotencyKey, reading.lastEventID)
  }

  /// The fields of the request by JSON names, for an answer that is a page; none before it was read.
  var fields: JSONObject { found.withLock { $0 } }

  /// The value of a field in the path of the request.
  func pathField(_ name: String) -> String? {
    var fields = RESTRequest(target.route, target.shared.registry)
    // A path that cannot be taken has no fields, which is all that is asked here.
    try? fields.take(target.path, hasVerb: target.hasVerb)
    return fields.fields[name]?.string
  }

  /// The encoded message of the request with this body.
  func message(_ body: [UInt8], isForm: Bool) throws(RPCError) -> [UInt8] {
    do throws(RESTFailure) {
      return try read(body, isForm: isForm)
    } catch {
      throw error.error
    }
  }

  private func read(_ body: [UInt8], isForm: Bool) throws(RESTFailure) -> [UInt8] {
    if !isForm, let message = planned(body) { return message }
    var fields = RESTRequest(target.route, target.shared.registry)
    try fields.take(target.path, hasVerb: target.hasVerb)
    try fields.take(try RESTQuery(head.query ?? ""), ignored: target.shared.ignoredKeys)
    if !body.isEmpty { try fields.take(try value(of: body, isForm: isForm)) }
    if let idempotencyKey { try fields.take(idempotencyKey: idempotencyKey) }
    if let lastEventID { try fields.take(lastEventID: lastEventID) }
    let object = fields.fields
    if target.route.isPaged { found.withLock { $0 = object } }
    do throws(SchemaError) {
      return try target.shared.json.encode(
        .object(object),
        as: target.method.descriptor.requestType,
        ignoresUnknown: target.route.binding.ignoresUnknown
      )
    } catch {
      throw RESTFailure(error)
    }
  }

  /// The message, if it is read without a tree of its values; pages need the tree to say where they are.
  private func planned(_ body: [UInt8]) -> [UInt8]? {
    guard head.query?.isEmpty ?? true, lastEventID == nil,
      !target.route.isPaged || body.isEmpty
    else { return nil }
    return target.route.planned?.message(target, body, idempotencyKey: idempotencyKey)
  }

  /// The limits of a body; the wire has bounded its length.
  static func limits(of body: [UInt8]) -> JSONLimits {
    JSONLimits(byteCountMax: body.count, depthMax: 100)
  }

  private func value(of body: [UInt8], isForm: Bool) throws(RESTFailure) -> JSONValue {
    guard target.route.binding.body != .none else {
      throw .invalid("", "\(head.method) has a body here; send its fields in the query")
    }
    guard !isForm else { return try Self.form(body) }
    do throws(JSONError) {
      return try JSONReader.read(body, limits: Self.limits(of: body))
    } catch {
      throw RESTFailure(error)
    }
  }

  private static func form(_ bytes: [UInt8]) throws(RESTFailure) -> JSONValue {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalid("", "form is not UTF-8; send escapes of UTF-8")
    }
    var object = JSONObject()
    for (key, value) in try RESTQuery(text, noun: "form").pairs {
      guard object[key] == nil else { throw .invalid(key, "is given twice; send it once") }
      object[key] = .string(value)
    }
    return .object(object)
  }
}
