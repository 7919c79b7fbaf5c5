internal import RPCKit
internal import ServiceKit

/// The order of a list as a request says it: a field, with a minus in front for the other direction.
struct RequestedOrder: Sendable {
  /// As the contract spells it: `created_at`; empty for the list's own order.
  let field: String
  let isDescending: Bool

  /// Reads `created_at`, `-created_at`, `createdAt` or `-createdAt`, which contracts have checked.
  init(_ text: String) {
    isDescending = text.hasPrefix("-")
    let name = String(isDescending ? text.dropFirst() : text[...])
    field = Self.contractNames[name] ?? name
  }

  /// The order of a request that can also ask for the other direction by a field of its own.
  ///
  /// FIELDS_EXCLUSIVE for both: two reversals could mean either direction.
  init(_ text: String, descending: Bool) throws(RPCError) {
    let order = Self(text)
    guard !order.isDescending || !descending else {
      throw ErrorCatalog.tenancy.invalid(
        "descending",
        "FIELDS_EXCLUSIVE",
        "cannot be set together with a minus in sort_by"
      )
    }
    field = order.field
    isDescending = order.isDescending || descending
  }

  private static let contractNames = ["createdAt": "created_at", "updatedAt": "updated_at"]
}
