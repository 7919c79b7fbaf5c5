import AccessEngine
import ServiceKit

@testable import TenancyService

/// A role that is given and taken past all handlers, as by another program that serves the store.
enum LateRole {
  /// Gives a user the role of a tenant, or takes it; the revision.
  static func set(
    _ isGiven: Bool,
    of user: String,
    on unit: String,
    _ policy: Policy,
    _ tx: borrowing WriteTransaction
  ) throws -> Int64 {
    let record = AssociationRecord(
      id: "asc_late",
      userID: user,
      entity: try EntityTable.all([unit], in: tx)[0],
      role: "tenant",
      grantedBy: "",
      now: tx.now
    )
    return isGiven
      ? try AssociationTable.put(record, policy, in: tx)
      : try AssociationTable.remove(record, policy, in: tx)
  }
}
