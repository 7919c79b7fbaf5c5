import Foundation

/// A second evaluator, for comparison: plain recursion over the JSON of a policy and lists of rows.
///
/// Shares no code with the engine, not even the JSON reader, and makes no attempt to be fast.
struct NaiveEvaluator {
  struct Entity {
    var id: String
    var type: String
    var parent: String?
    var attributes: [String: NSObject]
    /// Of no meaning to decisions.
    var name = ""
  }

  struct Association {
    var id: String
    var user: String
    var role: String
    var entity: String
    var from: Int64?
    var until: Int64?
    /// As a `daily` condition has it.
    var recurring: [String: Any]? = nil
    /// The tenant's own role that it is of.
    var variant: String? = nil
  }

  /// A tenant-defined role.
  struct Definition {
    var id: String
    var root: String
    var name: String
    var base: String
    var actions: Set<String>
  }

  struct Link {
    var name: String
    var from: String
    var to: String
  }

  struct Answer: Equatable {
    var reason: String
    /// The role and where it is held; not said for links, where several may be as near.
    var role: String?
    var via: String?
    var validUntil: Int64
    var isKnown: Bool
  }

  let roles: [String: [String: Any]]
  let roleOrder: [String]
  let types: [String: [String: Any]]
  private let accessLevels: [String]
  // Read once: to cast a dictionary of Foundation's takes longer than all the rest.
  private let actionsByType: [String: [String: [String: Any]]]
  private let rolesByAction: [String: [String: [String]]]
  private let stepUpRolesByAction: [String: [String: [String: [String]]]]
  private let includedRoles: [String: [String]]
  private let inheritingTypes: [String: [String]]
  var entities: [String: Entity] = [:]
  var associations: [Association] = []
  var links: [Link] = []
  var definitions: [Definition] = []
  var suspended: Set<String> = []

  private static let reasons = [
    "DENIED_BY_RULE", "FEATURE_NOT_AVAILABLE", "STEP_UP_REQUIRED", "DEVICE_OFFLINE",
    "REMOTE_OPERATION_DISABLED", "OPERATION_NOT_SUPPORTED",
  ]

  /// `roleOrder` because Foundation's objects have no order.
  init(policy: [UInt8], roleOrder: [String]) throws {
    let json = try JSONSerialization.jsonObject(with: Data(policy)) as? [String: Any] ?? [:]
    var roles = json["roles"] as? [String: [String: Any]] ?? [:]
    if roles["super_admin"] == nil {
      roles["super_admin"] = [
        "on": ["system"], "inherits_to": ["*"], "all_actions": true, "built_in": true,
      ]
    }
    if roles["support"] == nil { roles["support"] = ["on": ["system"]] }
    accessLevels = json["access_levels"] as? [String] ?? []
    self.roles = roles
    self.roleOrder = roleOrder
    var types = json["types"] as? [String: [String: Any]] ?? [:]
    var system = types["system"]?["actions"] as? [String: Any] ?? [:]
    for (action, roles) in [
      "system.administer": ["super_admin"], "system.inspect": ["super_admin", "support"],
    ] where system[action] == nil {
      system[action] = ["roles": roles]
    }
    types["system", default: [:]]["actions"] = system
    self.types = types
    let sets = json["condition_sets"] as? [String: [Any]] ?? [:]
    actionsByType = types.mapValues { type in
      (type["actions"] as? [String: [String: Any]] ?? [:]).mapValues { action in
        var action = action
        action["conditions"] = (action["conditions"] as? [Any] ?? []).flatMap { condition in
          (condition as? String).map { sets[$0] ?? [] } ?? [condition]
        }
        return action
      }
    }
    rolesByAction = actionsByType.mapValues { actions in
      actions.mapValues { $0["roles"] as? [String] ?? [] }
    }
    stepUpRolesByAction = actionsByType.mapValues { actions in
      actions.mapValues { $0["with_step_up"] as? [String: [String]] ?? [:] }
    }
    includedRoles = roles.mapValues { $0["includes"] as? [String] ?? [] }
    inheritingTypes = roles.mapValues { $0["inherits_to"] as? [String] ?? [] }
    entities["sys_root"] = Entity(id: "sys_root", type: "system", parent: nil, attributes: [:])
  }

  func actions(of type: String) -> [String: [String: Any]] {
    actionsByType[type] ?? [:]
  }

  private func includes(_ role: String, _ other: String) -> Bool {
    if role == other { return true }
    return (includedRoles[role] ?? []).contains { includes($0, other) }
  }

  private func grants(_ role: String, _ action: String, on type: String) -> Bool {
    guard let granting = rolesByAction[type]?[action] else { return false }
    if roles[role]?["all_actions"] as? Bool == true { return true }
    return granting.contains { includes(role, $0) }
  }

  /// The tenant's own role that an association counts as; nil is the policy's.
  private func definition(_ association: Association) -> Definition? {
    let root = ([association.entity] + ancestors(of: association.entity)).dropLast().last
    return definitions.first {
      $0.root == root
        && (association.variant == nil ? $0.name == association.role : $0.id == association.variant)
    }
  }

  /// Whether a role of the policy grants an action with one of some step-ups, or with any.
  private func grants(
    _ role: String,
    _ action: String,
    on type: String,
    with stepUps: [String]?
  ) -> Bool {
    (stepUpRolesByAction[type]?[action] ?? [:]).contains { stepUp, granting in
      stepUps?.contains(stepUp) != false && granting.contains { includes(role, $0) }
    }
  }

  /// Whether a role would grant an action with a step-up that is missing.
  private func lacksStepUp(
    _ role: String,
    _ action: String,
    on type: String,
    _ stepUps: [String]
  ) -> Bool {
    (stepUpRolesByAction[type]?[action] ?? [:]).contains { stepUp, granting in
      !stepUps.contains(stepUp) && granting.contains { includes(role, $0) }
    }
  }

  private func grants(
    _ association: Association,
    _ action: String,
    on type: String,
    with stepUps: [String] = []
  ) -> Bool {
    guard let definition = definition(association) else {
      return association.variant == nil
        && (grants(association.role, action, on: type)
          || grants(association.role, action, on: type, with: stepUps))
    }
    return actions(of: type)[action] != nil && definition.actions.contains(action)
  }

  private func through(_ role: String) -> [String: [String]] {
    roles[role]?["through"] as? [String: [String]] ?? [:]
  }

  private func ancestors(of id: String) -> [String] {
    guard let parent = entities[id]?.parent else { return [] }
    return [parent] + ancestors(of: parent)
  }

  private struct Seen {
    var association: Association
    var isGranting: Bool
    /// 0 for the entity, 1 for links, then upwards.
    var level: Int
  }

  private func associationsReaching(
    _ entity: Entity,
    _ user: String,
    _ action: String,
    _ stepUps: [String] = []
  ) -> [Seen] {
    var seen: [Seen] = []
    let above = ancestors(of: entity.id)
    for association in associations where association.user == user {
      let isGranting = grants(association, action, on: entity.type, with: stepUps)
      if association.entity == entity.id {
        seen.append(Seen(association: association, isGranting: isGranting, level: 0))
      }
      for link in links where link.from == association.entity && link.to == entity.id {
        guard let actions = through(association.role)[link.name] else { continue }
        let isThere = self.actions(of: entity.type)[action] != nil
        let isIncluded =
          definition(association)?.actions.contains(action) ?? (association.variant == nil)
        let isGranting = isThere && actions.contains(action) && isIncluded
        seen.append(Seen(association: association, isGranting: isGranting, level: 1))
      }
      let inherits = inheritingTypes[association.role] ?? []
      if let level = above.firstIndex(of: association.entity),
        inherits.contains("*") || inherits.contains(entity.type)
      {
        seen.append(Seen(association: association, isGranting: isGranting, level: 2 + level))
      }
    }
    return seen
  }

  func decide(
    _ user: String,
    _ action: String,
    _ entityID: String,
    stepUps: [String],
    features: [String],
    now: Int64
  ) -> Answer {
    var answer = Answer(reason: "", validUntil: now + 300_000, isKnown: false)
    if suspended.contains(user) {
      answer.reason = "SUBJECT_SUSPENDED"
      return answer
    }
    guard let entity = entities[entityID] else {
      answer.reason = "ENTITY_UNKNOWN"
      return answer
    }
    let seen = associationsReaching(entity, user, action, stepUps)
    answer.isKnown = !seen.isEmpty
    for one in seen {
      for edge in [one.association.from, one.association.until] {
        if let edge, edge > now { answer.validUntil = min(answer.validUntil, edge) }
      }
    }
    let inTime = seen.filter { Self.isInTime($0.association, now) }
    let valid = inTime.filter { isOpen($0.association, now, &answer.validUntil) }
    let granting = valid.filter(\.isGranting)
    if let best = granting.min(by: { isNearer($0, $1) }) {
      answer.role = best.association.role
      answer.via = best.level == 1 ? nil : best.association.entity
    }
    if isDenied(action, entity, held: valid.map(\.association.role)) {
      answer.reason = "DENIED_BY_RULE"
    } else if !granting.isEmpty {
      let failed = conditions(action, entity, stepUps, features, now, &answer.validUntil)
      answer.reason = Self.reasons.first { failed.contains($0) } ?? "ALLOWED"
    } else if valid.contains(where: {
      lacksStepUp($0.association.role, action, on: entity.type, stepUps)
    }) {
      answer.reason = "STEP_UP_REQUIRED"
    } else if seen.contains(where: { $0.isGranting && ($0.association.from ?? .min) > now })
      || inTime.contains(where: \.isGranting)
    {
      answer.reason = "NOT_YET_VALID"
    } else if seen.contains(where: \.isGranting) {
      answer.reason = "EXPIRED"
    } else if !seen.isEmpty {
      answer.reason = "ROLE_LACKS_ACTION"
    } else {
      let wouldDo = associations.contains {
        $0.user == user
          && (grants($0.role, action, on: entity.type)
            || grants($0.role, action, on: entity.type, with: nil)
            || actions(of: entity.type)[action] != nil
              && through($0.role).values.contains { $0.contains(action) })
      }
      answer.reason = wouldDo ? "OUT_OF_SCOPE" : "NO_ASSOCIATION"
    }
    return answer
  }

  /// The associations of a user that reach an entity, at whatever time; one twice that does so twice.
  func associations(of user: String, reaching entityID: String) -> [Association] {
    guard !suspended.contains(user), let entity = entities[entityID] else { return [] }
    return associationsReaching(entity, user, "").map(\.association)
  }

  /// The roles that a user has on an entity at an instant.
  func roles(of user: String, on entityID: String, now: Int64) -> Set<String> {
    let valid = associations(of: user, reaching: entityID).filter { counts($0, now: now) }
    return Set(valid.map(\.role))
  }

  /// The attributes of an entity that a user's roles on it show, by name.
  func visibleAttributes(of user: String, on entityID: String, now: Int64) -> Set<String> {
    let attributes =
      types[entities[entityID]?.type ?? ""]?["attributes"] as? [String: [String: Any]]
    let level = roles(of: user, on: entityID, now: now).map(level(ofRole:)).max() ?? 0
    return Set(
      (attributes ?? [:]).filter { self.level($0.value["access"]) <= level }.keys
    )
  }

  /// The access level that a user's roles on an entity give, by name.
  func accessLevel(of user: String, on entityID: String, now: Int64) -> String {
    accessLevels[roles(of: user, on: entityID, now: now).map(level(ofRole:)).max() ?? 0]
  }

  private func level(_ name: Any?) -> Int {
    accessLevels.firstIndex { $0 == name as? String } ?? 0
  }

  private func level(ofRole role: String) -> Int {
    roles[role]?["built_in"] == nil ? level(roles[role]?["access_level"]) : accessLevels.count - 1
  }

  /// Whether an association counts at an instant.
  func counts(_ association: Association, now: Int64) -> Bool {
    var edge = now
    return Self.isInTime(association, now) && isOpen(association, now, &edge)
  }

  private static func isInTime(_ association: Association, _ now: Int64) -> Bool {
    (association.from ?? .min) <= now && (association.until ?? .max) > now
  }

  private func isOpen(
    _ association: Association,
    _ now: Int64,
    _ validUntil: inout Int64
  ) -> Bool {
    guard let recurring = association.recurring else { return true }
    return isInside(recurring, now, &validUntil)
  }

  private func isNearer(_ left: Seen, _ right: Seen) -> Bool {
    if left.level != right.level { return left.level < right.level }
    let places = [left, right].map { roleOrder.firstIndex(of: $0.association.role) ?? 0 }
    return places[0] < places[1]
  }

  private func value(_ name: String, of entity: Entity) -> NSObject? {
    if let value = entity.attributes[name] { return value }
    let attributes = types[entity.type]?["attributes"] as? [String: [String: Any]] ?? [:]
    return attributes[name]?["default"] as? NSObject
  }

  private func passes(_ test: [String: Any], _ entity: Entity) -> Bool {
    let values = test["equals"] as? [NSObject] ?? [test["equals"] as? NSObject].compactMap(\.self)
    guard let name = test["attribute"] as? String, let value = value(name, of: entity) else {
      return false
    }
    return values.contains(value)
  }

  private func isDenied(_ action: String, _ entity: Entity, held: [String]) -> Bool {
    let denies = actions(of: entity.type)[action]?["denies"] as? [[String: Any]] ?? []
    return denies.contains { deny in
      let tests = deny["when"] as? [[String: Any]] ?? []
      let roles = deny["roles"] as? [String]
      return (roles.map { $0.contains(where: held.contains) } ?? true)
        && tests.allSatisfy { passes($0, entity) }
    }
  }

  private func conditions(
    _ action: String,
    _ entity: Entity,
    _ stepUps: [String],
    _ features: [String],
    _ now: Int64,
    _ validUntil: inout Int64
  ) -> [String] {
    var failed: [String] = []
    let operation = actions(of: entity.type)[action]?["operation"] as? [String: Any]
    if let kinds = operation?["kinds"] as? [String],
      !kinds.contains(value("kind", of: entity) as? String ?? "")
    {
      failed.append("OPERATION_NOT_SUPPORTED")
    }
    for condition in actions(of: entity.type)[action]?["conditions"] as? [[String: Any]] ?? [] {
      if let stepUp = condition["step_up"] as? String {
        if !stepUps.contains(stepUp) { failed.append("STEP_UP_REQUIRED") }
      } else if let feature = condition["feature"] as? String {
        if !features.contains(feature) { failed.append("FEATURE_NOT_AVAILABLE") }
      } else if let daily = condition["daily"] as? [String: Any] {
        if !isInside(daily, now, &validUntil) { failed.append("DENIED_BY_RULE") }
      } else if !passes(condition, entity) {
        failed.append(condition["otherwise"] as? String ?? "")
      }
    }
    return failed
  }

  private func isInside(_ daily: [String: Any], _ now: Int64, _ validUntil: inout Int64) -> Bool {
    let zone = TimeZone(identifier: daily["time_zone"] as? String ?? "UTC") ?? .gmt
    let days = daily["days"] as? [String] ?? Self.days
    let from = Self.minutes(daily["from"] as? String)
    let until = Self.minutes(daily["until"] as? String)
    let (minute, day) = Self.clock(now, zone)
    let isToday = days.contains(Self.days[day])
    let isYesterday = days.contains(Self.days[(day + 6) % 7])
    // Minute by minute to the next change, of the window or of the clocks.
    var edge = now / 60_000 * 60_000 + 60_000
    while edge < validUntil, ![from, until % 1440].contains(Self.clock(edge, zone).minute),
      (Self.clock(edge, zone).minute + 1439) % 1440 == Self.clock(edge - 60_000, zone).minute
    {
      edge += 60_000
    }
    validUntil = min(validUntil, edge)
    guard from > until else { return isToday && (from..<until).contains(minute) }
    return isToday && minute >= from || isYesterday && minute < until
  }

  private static let days = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]

  /// The minute of the day, and the day of the week, Monday being 0.
  private static func clock(_ now: Int64, _ zone: TimeZone) -> (minute: Int, day: Int) {
    let date = Date(timeIntervalSince1970: Double(now) / 1000)
    let local = now / 60_000 + Int64(zone.secondsFromGMT(for: date) / 60)
    return (Int(local % 1440), Int((local / 1440 + 3) % 7))
  }

  private static func minutes(_ text: String?) -> Int {
    let parts = (text ?? "").split(separator: ":").compactMap { Int($0) }
    return parts[0] * 60 + parts[1]
  }
}
