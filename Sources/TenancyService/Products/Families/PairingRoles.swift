internal import AccessEngine
internal import ServiceKit

/// The roles by which devices stay paired: that of the child on a child, and on a family those that see it.
struct PairingRoles: Sendable {
  private let ofFamily: [String]

  init(_ policy: Policy) {
    let rule = policy.type(named: Families.family).flatMap { type in
      policy.action(named: Families.viewFamily).flatMap { policy.rule(of: $0, on: type) }
    }
    ofFamily = policy.roles.map(\.name).filter { name in
      policy.role(named: name).map { rule?.grants.contains($0) == true } == true
    }
  }

  /// Whether a pairing rests on an association, whenever that counts.
  func carries(_ pairing: PairingRecord, by association: AssociationRecord) -> Bool {
    pairing.childID == nil
      ? ofFamily.contains(association.role) : association.role == Families.childRole
  }

  /// Whether the last such role of the account of a pairing `p` ends after an instant; so it does where there never
  /// was one.
  func unended(at now: Int64) -> (condition: String, values: [SQLValue]) {
    // An empty list is none in PostgreSQL.
    let marks = ofFamily.isEmpty ? "(NULL)" : Placeholders.list(ofFamily.count)
    let condition = """
      coalesce((
        SELECT max(coalesce(a.valid_until, \(Int64.max))) FROM association a
        WHERE a.user_id = p.user_id AND a.entity_id = coalesce(p.child_id, p.family_id)
          AND CASE WHEN p.child_id IS NULL THEN a.role IN (\(marks)) ELSE a.role = ? END
      ), \(Int64.max)) > ?
      """
    return (condition, ofFamily.map { .text($0) } + [.text(Families.childRole), .integer(now)])
  }
}
