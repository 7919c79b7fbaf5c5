internal import RPCKit
internal import ServiceKit

/// The content of a document: a JSON object.
struct DocumentContent: Sendable {
  private(set) var object = JSONObject()

  init() {}

  /// Reads what a caller has sent; empty text is an empty object.
  ///
  /// DOCUMENT_INVALID says where it is not JSON as decision 0018 has it, or nested too deep.
  init(json text: String, field: String) throws(RPCError) {
    guard !text.isEmpty else { return }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONReader.read(Array(text.utf8), limits: DocumentLimits.content)
    } catch {
      throw ErrorCatalog.tenancy.invalid(
        field,
        "DOCUMENT_INVALID",
        "is not accepted as JSON: \(error)"
      )
    }
    guard let object = value.object else {
      throw ErrorCatalog.tenancy.invalid(
        field,
        "DOCUMENT_INVALID",
        "must be a JSON object, not \(value.kind)"
      )
    }
    self.object = object
  }

  init(stored text: String) throws(StoreError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONReader.read(Array(text.utf8), limits: DocumentLimits.content)
    } catch {
      throw .statement("a document is stored that could not have been: \(error)")
    }
    guard let object = value.object else {
      throw .statement("a document is stored that is \(value.kind)")
    }
    self.object = object
  }

  var text: String { JSONValue.object(object).text }

  /// Merges members into it (RFC 7396, section 2).
  mutating func merge(_ patch: DocumentContent) { object.merge(patch.object) }

  /// Sets a field; what it is set to.
  ///
  /// FIELD_TYPE_MISMATCH when something else is in the way, COUNTER_OVERFLOW for a sum that does not fit.
  mutating func apply(
    _ transform: DocumentTransform,
    now: Int64,
    field: String
  ) throws(RPCError) -> JSONValue {
    try Self.change(&object, at: transform.path.names[...], field: field) {
      old throws(RPCError) in
      switch transform.kind {
      case .serverTime: return .string(DocumentTransform.text(ofTime: now))
      case .increment(let amount):
        // What is not there counts as 0.
        guard let count = (old ?? 0).integer else {
          throw DocumentError.fieldTypeMismatch(field, "an integer")
        }
        let (sum, overflow) = count.addingReportingOverflow(amount)
        guard !overflow else { throw DocumentError.counterOverflow(field) }
        return .number(JSONNumber(sum))
      }
    }
  }

  private static func change(
    _ object: inout JSONObject,
    at names: ArraySlice<String>,
    field: String,
    _ body: (JSONValue?) throws(RPCError) -> JSONValue
  ) throws(RPCError) -> JSONValue {
    guard let name = names.first else { preconditionFailure("a path without names") }
    guard names.count > 1 else {
      let value = try body(object[name])
      object[name] = value
      return value
    }
    guard case .object(var inner) = object[name] ?? .object(JSONObject()) else {
      throw DocumentError.fieldTypeMismatch(field, "inside an object")
    }
    let value = try change(&inner, at: names.dropFirst(), field: field, body)
    object[name] = .object(inner)
    return value
  }
}

/// A field that is set to what the service works out.
struct DocumentTransform: Sendable {
  enum Kind: Sendable {
    case serverTime
    /// Adds this to the stored integer.
    case increment(Int64)
  }

  let path: FieldPath
  let kind: Kind

  /// `2026-01-31T23:59:59.999Z`; later times are greater texts.
  static func text(ofTime milliseconds: Int64) -> String {
    var bytes: [UInt8] = []
    Timestamp.append(milliseconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
