internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// Narrows a list by an attribute that is text or a number.
///
/// The engine keeps flags and choices only, so these are compared with what the store has.
struct StoredFilter: Sendable {
  private let attribute: Attribute
  private let condition: Condition

  private enum Condition {
    /// One of the values, if there are any, and beginning with the prefix.
    case text(values: Set<String>, prefix: String)
    /// One of the values, if there are any, and in the range.
    case integer(values: Set<Int64>, ClosedRange<Int64>)
  }

  /// Reads a filter of a request for an attribute that is text or an integer.
  ///
  /// FILTER_INVALID when it compares nothing, or compares text with numbers.
  init(
    _ filter: Tenancy_V1.AttributeFilter,
    _ attribute: Attribute,
    field: String
  ) throws(RPCError) {
    func invalid(_ member: String, _ problem: String) -> RPCError {
      ErrorCatalog.tenancy.invalid("\(field).\(member)", "FILTER_INVALID", problem)
    }
    let isBounded = filter.atLeast != nil || filter.atMost != nil
    guard !filter.values.isEmpty || !filter.prefix.isEmpty || isBounded else {
      throw invalid("values", "must be set, or a prefix or bound in its place")
    }
    self.attribute = attribute
    if case .integer = attribute.kind {
      guard filter.prefix.isEmpty else { throw invalid("prefix", "is for text attributes only") }
      var values: Set<Int64> = []
      for (index, text) in filter.values.enumerated() {
        guard let value = Int64(text) else {
          throw invalid("values[\(index)]", "must be an integer, like \(filter.name)")
        }
        values.insert(value)
      }
      let (least, most) = (filter.atLeast ?? .min, filter.atMost ?? .max)
      guard least <= most else { throw invalid("at_most", "must not be less than at_least") }
      condition = .integer(values: values, least...most)
    } else {
      guard !isBounded else {
        throw invalid(
          filter.atLeast != nil ? "at_least" : "at_most",
          "is for integer attributes only"
        )
      }
      condition = .text(values: Set(filter.values), prefix: filter.prefix)
    }
  }

  /// Whether an entity passes for a user who sees it at an access level.
  ///
  /// Nobody finds an entity by what they cannot see of it.
  func passes(_ entity: EntityRecord, accessLevel: Int) -> Bool {
    guard accessLevel >= attribute.accessLevel else { return false }
    let stored = entity.attributes[attribute.name].map(AttributeMapping.typed)
    switch (condition, stored ?? attribute.defaultValue) {
    case (.text(let values, let prefix), .text(let text)):
      return (values.isEmpty || values.contains(text)) && text.hasPrefix(prefix)
    case (.integer(let values, let range), .integer(let number)):
      return (values.isEmpty || values.contains(number)) && range.contains(number)
    default: return false
    }
  }
}
