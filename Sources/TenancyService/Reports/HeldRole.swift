internal import ServiceKit

/// A time for which somebody held a role, as reports tell it.
struct HeldRole: Hashable, Sendable {
  /// Its place in the history; later ones have greater numbers.
  var sequence: Int64
  var associationID: String
  var userID: String
  /// The role as the policy names it.
  var role: String
  /// The tenant's name of its own role that is based on it; empty for none.
  var customRole: String
  /// When it counted inside of the time below, as the store has it; nil for always.
  var recurring: String?
  var entityID: String
  var entityType: String
  /// The entity's name when the role was granted.
  var entityName: String
  var grantedBy: String
  /// When it began to be good, in milliseconds since 1970.
  var from: Int64
  /// When it ceased to be; `.max` for never.
  var until: Int64

  /// Columns for `init(row:asOf:)`.
  static let columns = """
    sequence, association_id, user_id, role, entity_id, entity_type, entity_name, granted_by, \
    valid_from, valid_until, began_at, ended_at, custom_role, recurring
    """

  /// Reads a row of the history as it was known at an instant: nothing that happened later counts.
  init(row: borrowing Row, asOf instant: Int64) {
    sequence = row.integer(0)
    associationID = row.text(1)
    userID = row.text(2)
    role = row.text(3)
    entityID = row.text(4)
    entityType = row.text(5)
    entityName = row.text(6)
    grantedBy = row.text(7)
    customRole = row.text(12)
    recurring = row.optionalText(13)
    from = max(row.optionalInteger(8) ?? .min, row.integer(10))
    let ended = row.optionalInteger(11) ?? .max
    until = min(row.optionalInteger(9) ?? .max, ended < instant ? ended : .max)
  }

  /// Whether it was good at any time of an interval.
  func overlaps(_ interval: Range<Int64>) -> Bool {
    max(from, interval.lowerBound) < min(until, interval.upperBound)
  }
}
