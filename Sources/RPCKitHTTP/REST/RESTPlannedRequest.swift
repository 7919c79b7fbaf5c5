internal import RPCKit
internal import Reflection
internal import StrictJSON

/// How the requests of a route become messages without a tree of their values: from fields of the path, one header and
/// a body that is the message.
///
/// It takes what the plan of the type takes and where each field is given once; all else is `RESTRequest`'s.
struct RESTPlannedRequest {
  /// A text that becomes a field.
  private struct Field {
    let number: Int
    let place: Int
    let oneof: Int?
  }

  private let plan: Int
  private let variables: [(field: Field, segment: Int)]
  private let idempotencyKey: Field?
  private let hasBody: Bool

  /// Nil where a variable of the path is no text of the request's own, or a part of the request is the body.
  ///
  /// `fields` are those of the request, `plan` is that of its type.
  init?(
    _ binding: HTTPBinding,
    _ variables: [(field: RESTField, segments: Range<Int>)],
    of fields: [FieldSchema],
    plan: Int?
  ) {
    guard let plan, binding.body == .whole || binding.body == .none else { return nil }
    var texts: [(field: Field, segment: Int)] = []
    for (field, segments) in variables {
      guard field.path.count == 1, segments.count == 1,
        binding.segments[segments.lowerBound] == .single,
        let text = Self.text(field.schema, of: fields)
      else { return nil }
      texts.append((text, segments.lowerBound))
    }
    self.plan = plan
    self.variables = texts
    let key = fields.first { $0.name == RESTRoute.idempotencyKeyName }
    idempotencyKey = key.flatMap { Self.text($0, of: fields) }
    hasBody = binding.body == .whole
  }

  /// A field that has texts as they are; nil for others.
  private static func text(_ field: FieldSchema, of fields: [FieldSchema]) -> Field? {
    guard field.kind == .string, !field.isRepeated, !field.isEmbedded, field.json?.spelling == nil,
      let place = fields.firstIndex(where: { $0.number == field.number })
    else { return nil }
    return Field(number: field.number, place: place, oneof: field.oneof)
  }

  /// The encoded message; nil when only `RESTRequest` can tell what the request is.
  func message(
    _ target: RESTTarget,
    _ body: [UInt8],
    idempotencyKey key: String?
  ) -> [UInt8]? {
    guard hasBody || body.isEmpty else { return nil }
    var message: [UInt8] = []
    message.reserveCapacity(body.count + 64)
    var given = GivenFields()
    for (field, segment) in variables {
      let text = target.path.segment(segment, withoutVerb: target.hasVerb)
      guard append(text, field, to: &message, &given) else { return nil }
    }
    if !body.isEmpty {
      let isRead = target.shared.plans.read(
        body,
        as: plan,
        limits: RESTRequestReader.limits(of: body),
        given: &given,
        into: &message
      )
      guard isRead else { return nil }
    }
    if let key, target.route.idempotencyKey != nil {
      guard let idempotencyKey, append(key, idempotencyKey, to: &message, &given) else {
        return nil
      }
    }
    return message
  }

  private func append(
    _ text: String,
    _ field: Field,
    to message: inout [UInt8],
    _ given: inout GivenFields
  ) -> Bool {
    guard given.insert(field.place, oneof: field.oneof) else { return false }
    MessagePlans.append(text, field: field.number, to: &message)
    return true
  }
}
