internal import RPCKit
internal import ServiceKit

/// Where a field is in a document: names of members from the outermost object inwards.
struct FieldPath: Hashable, Sendable {
  /// One to `DocumentLimits.depthMax` names of ASCII letters, digits, `_` and `-`.
  let names: [String]

  /// Reads `stats.streak`; the contract has seen to the characters.
  ///
  /// FIELD_PATH_INVALID for an empty name and too many names.
  init(_ text: String, field: String) throws(RPCError) {
    names = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    guard names.count <= DocumentLimits.depthMax, names.allSatisfy({ !$0.isEmpty }) else {
      throw ErrorCatalog.tenancy.invalid(
        field,
        "FIELD_PATH_INVALID",
        "must be 1 to \(DocumentLimits.depthMax) names joined by dots"
      )
    }
  }

  /// As SQLite's JSON functions take it (sqlite.org/json1.html, section 3.3).
  var sql: String { "$" + names.map { ".\"\($0)\"" }.joined() }

  /// The value in an object; nil for none.
  func value(in object: JSONObject) -> JSONValue? {
    var value: JSONValue? = .object(object)
    for name in names { value = value?.object?[name] }
    return value
  }
}
