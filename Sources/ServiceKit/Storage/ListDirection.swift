/// The way in which a list goes through an order: forwards, or backwards, as a minus in `sort_by` says.
package struct ListDirection: Hashable, Sendable {
  /// From the greatest to the least: newest first.
  package let isDescending: Bool

  /// Reads the `sort_by` of a list that has one order only, which goes `standard` when that is empty.
  package init(_ sortBy: String, standard: ListDirection) {
    isDescending = sortBy.isEmpty ? standard.isDescending : sortBy.hasPrefix("-")
  }

  private init(isDescending: Bool) { self.isDescending = isDescending }

  package static let ascending = ListDirection(isDescending: false)
  package static let descending = ListDirection(isDescending: true)

  /// `asc` or `desc`.
  package var keyword: String { isDescending ? "desc" : "asc" }
  /// The comparison that holds for what comes after a place, or its opposite for what comes before.
  package var comparison: String { isDescending ? "<" : ">" }
  /// A text before all identifiers.
  package var firstText: String { isDescending ? "\u{7F}" : "" }
  /// A number before all others.
  package var firstNumber: Int64 { isDescending ? .max : .min }
}
