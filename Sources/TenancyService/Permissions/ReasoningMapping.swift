internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The reasoning behind a decision as a message, as far as somebody may know it.
struct ReasoningMapping {
  /// The access level of the reader: conditions on attributes above it are left out.
  let accessLevel: Int
  /// The entities whose roles they may list; nil is all.
  var listed: Set<String>? = nil

  func message(
    _ reasoning: Reasoning,
    _ decision: Tenancy_V1.Decision
  ) -> Tenancy_V1.Explanation {
    Tenancy_V1.Explanation(
      decision: decision,
      places: places(reasoning.roles),
      omittedRoles: UInt32(clamping: reasoning.omittedRoleCount),
      denies: reasoning.denies.filter { $0.applies || $0.accessLevel <= accessLevel }.map {
        Tenancy_V1.ExaminedDeny(name: $0.name, roles: $0.roles, applies: $0.applies)
      },
      conditions: reasoning.conditions.compactMap(condition)
    )
  }

  private func places(_ roles: [Reasoning.Role]) -> [Tenancy_V1.ExaminedPlace] {
    var places: [Tenancy_V1.ExaminedPlace] = []
    var numbers: [Key: Int] = [:]
    for role in roles {
      let mayKnow = listed?.contains(role.entityID) ?? true
      let key = Key(reach: role.reach, entityID: role.entityID)
      if numbers[key] == nil {
        numbers[key] = places.count
        places.append(
          Tenancy_V1.ExaminedPlace(
            reach: Self.reach(role.reach),
            entityType: role.entityType,
            entityId: mayKnow ? role.entityID : "",
            link: Self.link(role.reach)
          )
        )
      }
      places[numbers[key] ?? 0].roles.append(message(role, mayKnow: mayKnow))
    }
    return places
  }

  private struct Key: Hashable {
    let reach: Reasoning.Reach
    let entityID: String
  }

  private func message(_ role: Reasoning.Role, mayKnow: Bool) -> Tenancy_V1.ExaminedRole {
    var message = Tenancy_V1.ExaminedRole(
      role: role.role,
      window: Self.window(role.window),
      includesAction: role.isGranting,
      decisive: role.isDecisive
    )
    message.customRole = role.customRole ?? ""
    guard mayKnow else { return message }
    message.associationId = role.associationID
    message.validFrom = role.validFrom.map { .init(milliseconds: $0) }
    message.validUntil = role.validUntil.map { .init(milliseconds: $0) }
    message.recurring = role.recurring.map { .init($0) }
    return message
  }

  private func condition(_ condition: Reasoning.Condition) -> Tenancy_V1.ExaminedCondition? {
    var message = Tenancy_V1.ExaminedCondition(
      holds: condition.holds,
      otherwise: Tenancy_V1.Reason(condition.otherwise),
      decisive: condition.isDecisive
    )
    // Check gives the reason of the decisive one away, and nothing of the others.
    guard condition.accessLevel <= accessLevel else { return condition.isDecisive ? message : nil }
    message.condition =
      switch condition.kind {
      case .attribute(let name, let values): .attribute(.init(name: name, values: values))
      case .daily(let window):
        .daily(
          Tenancy_V1.DailyCondition(
            from: RecurringWindow.timeOfDay(window.from),
            until: RecurringWindow.timeOfDay(window.until),
            days: window.days.names,
            timeZone: window.timeZone
          )
        )
      case .stepUp(let name): .stepUp(name)
      case .feature(let name): .feature(name)
      }
    return message
  }

  private static func reach(_ reach: Reasoning.Reach) -> Tenancy_V1.RoleReach {
    switch reach {
    case .own: .own
    case .link: .link
    case .above: .above
    case .elsewhere: .elsewhere
    }
  }

  private static func link(_ reach: Reasoning.Reach) -> String {
    if case .link(let name) = reach { name } else { "" }
  }

  private static func window(_ window: Reasoning.Window) -> Tenancy_V1.WindowState {
    switch window {
    case .open: .open
    case .notYet: .notYet
    case .over: .over
    case .closed: .closed
    }
  }
}
