internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The other services' data about a user; a part that could not be obtained is nil.
struct UserContext: Sendable {
  /// Roles, oldest first.
  var associations: [Tenancy_V1.RoleAssociation]?
  /// Whether an operator suspended the user: roles are left out then, though they exist.
  var isSuspended = false
  /// The user's purchases.
  var entitlements: UserEntitlements?

  /// The names of the parts that could not be obtained, as the contract has them.
  var missing: [String] {
    (associations == nil ? ["role_associations"] : [])
      + (entitlements == nil ? ["entitlements"] : [])
  }

  /// Entities of a type that the user has a role on now, oldest role first.
  func entities(_ type: String, now: Int64) -> [String] {
    (associations ?? []).filter { $0.entityType == type && $0.isValid(at: now) }.map(\.entityId)
  }
}

/// The purchases of a user, as far as sign-in reports them.
struct UserEntitlements: Sendable {
  /// The tier of the plan.
  var plan: String
  /// The plan, as EntitlementService describes it.
  var planDetails: Entitlement_V1.Plan?
  /// The plan, then those of the organizations, portfolios and families on which the user has a role.
  var plans: [Entitlement_V1.Plan] = []
  /// Whether the user has the Compliance Pack.
  var hasCompliancePack: Bool
}

extension [Tenancy_V1.RoleAssociation] {
  /// The subjects of plans among the entities of roles in force, oldest role first, at most `countMax`.
  func planSubjects(at now: Int64, countMax: Int) -> [Entitlement_V1.Subject] {
    var subjects: [Entitlement_V1.Subject] = []
    var seen: Set<String> = []
    for association in self where association.isValid(at: now) {
      guard subjects.count < countMax else { break }
      // As the policy has it, which names the types as it likes.
      let kind: Entitlement_V1.SubjectKind
      switch association.holdsFeaturesAs {
      case "organization": kind = .organization
      case "portfolio": kind = .portfolio
      case "family": kind = .family
      default: continue
      }
      guard seen.insert(association.entityId).inserted else { continue }
      subjects.append(.init(kind: kind, id: association.entityId))
    }
    return subjects
  }
}

extension Tenancy_V1.RoleAssociation {
  /// Whether it counts at an instant; its hours are those of the answer that it is from.
  func isInForce(at now: Int64) -> Bool { isValid(at: now) && (recurring == nil || recurringOpen) }

  fileprivate func isValid(at now: Int64) -> Bool {
    if let validFrom, now < validFrom.milliseconds { return false }
    if let validUntil, now >= validUntil.milliseconds { return false }
    return true
  }
}
