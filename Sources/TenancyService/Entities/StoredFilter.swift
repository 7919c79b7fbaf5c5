internal import AccessEngine

/// Narrows a list by an attribute that is text, a color or a number.
///
/// The engine keeps flags and choices only, so these are compared with what the store has.
struct StoredFilter: Sendable {
  let attribute: Attribute
  let condition: Condition

  enum Condition {
    /// One of the values, if there are any, and beginning with the prefix.
    case text(values: Set<String>, prefix: String)
    /// One of the values, if there are any, and in the range.
    case integer(values: Set<Int64>, ClosedRange<Int64>)
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
    case (.integer(let values, let range), .number(let number)):
      // No fraction is one of the values.
      return values.isEmpty && Double(range.lowerBound) <= number
        && number <= Double(range.upperBound)
    default: return false
    }
  }
}
