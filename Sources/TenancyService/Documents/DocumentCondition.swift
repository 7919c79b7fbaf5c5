internal import RPCKit
internal import ServiceKit

/// The condition on a field of a listed document.
struct DocumentCondition: Sendable {
  let path: FieldPath
  let values: [JSONValue]
  let prefix: String
  let least: JSONValue?
  let most: JSONValue?

  /// Whether a document has it.
  func passes(_ content: DocumentContent) -> Bool {
    let value = path.value(in: content.object) ?? .null
    if !values.isEmpty, !values.contains(where: { Self.comparison($0, value) == 0 }) {
      return false
    }
    if !prefix.isEmpty {
      guard let text = value.string, text.utf8.starts(with: prefix.utf8) else { return false }
    }
    if let least {
      guard let order = Self.comparison(value, least), order >= 0 else { return false }
    }
    if let most {
      guard let order = Self.comparison(value, most), order <= 0 else { return false }
    }
    return true
  }

  /// Below 0, 0 or above it; nil for values of different kinds, and for those that have no order.
  private static func comparison(_ left: JSONValue, _ right: JSONValue) -> Int? {
    switch (left, right) {
    case (.null, .null): return 0
    case (.boolean(let left), .boolean(let right)): return left == right ? 0 : left ? 1 : -1
    case (.string(let left), .string(let right)):
      if left.utf8.elementsEqual(right.utf8) { return 0 }
      return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    case (.number(let left), .number(let right)):
      if let left = left.integer, let right = right.integer {
        return left == right ? 0 : left < right ? -1 : 1
      }
      guard let left = left.double, let right = right.double else { return nil }
      return left == right ? 0 : left < right ? -1 : 1
    default: return nil
    }
  }

  static func scalar(_ text: String, field: String) throws(RPCError) -> JSONValue {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONReader.read(Array(text.utf8), limits: DocumentLimits.content)
    } catch {
      throw ErrorCatalog.tenancy.invalid(
        field,
        "FILTER_INVALID",
        "must be a JSON value, such as \"calm\" with its quotes: \(error)"
      )
    }
    switch value {
    case .array, .object:
      throw ErrorCatalog.tenancy.invalid(
        field,
        "FILTER_INVALID",
        "must be a text, a number, true, false or null"
      )
    default: return value
    }
  }

  /// Nil for a bound that is not set.
  static func bound(_ text: String, field: String) throws(RPCError) -> JSONValue? {
    guard !text.isEmpty else { return nil }
    let value = try scalar(text, field: field)
    guard value.string != nil || value.number != nil else {
      throw ErrorCatalog.tenancy.invalid(field, "FILTER_INVALID", "must be a number or a text")
    }
    return value
  }
}
