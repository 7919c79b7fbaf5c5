internal import RPCKit
internal import ServiceKit

/// Errors about names that the catalogue does not have, or that do not fit what it sells.
enum CatalogError {
  private static let errors = ErrorCatalog.entitlement
  /// Names that a message lists, at most.
  private static let namedCountMax = 16

  /// No tier has this name.
  static func tierUnknown(
    _ name: String,
    in field: String? = nil,
    of catalog: Catalog? = nil
  ) -> RPCError {
    let known = catalog?.tiers.map(\.name) ?? []
    return invalid("TIER_UNKNOWN", "unknown tier \"\(name)\"", name, field, known)
  }

  /// No add-on has this name.
  static func addonUnknown(_ name: String, in field: String, of catalog: Catalog) -> RPCError {
    let known = catalog.addons.map(\.name)
    return invalid("ADDON_UNKNOWN", "unknown add-on \"\(name)\"", name, field, known)
  }

  /// No feature has this key.
  static func featureUnknown(_ name: String, in field: String, of catalog: Catalog) -> RPCError {
    let known = catalog.features.keys.sorted()
    return invalid("FEATURE_UNKNOWN", "unknown feature \"\(name)\"", name, field, known)
  }

  /// A limit was given for a flag, or a flag for a limit.
  static func typeMismatch(_ name: String, in field: String) -> RPCError {
    let message = "feature \"\(name)\" has the other type of value"
    return invalid("TYPE_MISMATCH", message, name, field)
  }

  /// The same add-on or override twice.
  static func duplicate(_ name: String) -> RPCError {
    invalid("DUPLICATE", "\"\(name)\" is given twice", name)
  }

  private static func invalid(
    _ reason: String,
    _ problem: String,
    _ name: String,
    _ field: String? = nil,
    _ known: [String] = []
  ) -> RPCError {
    var message = problem
    if !known.isEmpty {
      message += "; the catalogue has \(known.prefix(namedCountMax).joined(separator: ", "))"
      if known.count > namedCountMax { message += " and others" }
    }
    var error = errors.invalidRequest(reason, message, ["name": name])
    if let field {
      error.details.append(.badRequest([FieldViolation(field: field, description: message)]))
    }
    return error
  }
}
