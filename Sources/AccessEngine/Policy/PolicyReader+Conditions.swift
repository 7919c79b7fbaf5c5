internal import StrictJSON

/// Conditions besides a role, and rules that forbid an action whatever the role.
extension PolicyReader {
  /// The conditions of each named set of a file.
  func conditionSets(_ field: JSONField?) -> [String: [JSONField]] {
    var sets: [String: [JSONField]] = [:]
    for member in problems.members(field) {
      let name = problems.attempt { () throws(JSONDecodingError) in try member.checkedName() }
      guard let name else { continue }
      let conditions = problems.elements(member.field)
      for condition in conditions where condition.value.string != nil {
        problems.note(condition.error("is the name of a set; a set cannot contain another one"))
      }
      sets[name] = conditions.filter { $0.value.string == nil }
    }
    return sets
  }

  /// The conditions of an action, with those of a set in the place of its name.
  mutating func readConditions(
    _ field: JSONField?,
    _ type: EntityTypeID,
    _ document: Int
  ) -> [Policy.Condition] {
    var conditions: [Policy.Condition] = []
    for element in problems.elements(field) {
      if let name = element.value.string {
        conditions += readConditionSet(name, element, type, document)
      } else if let condition = readCondition(element, type, document) {
        conditions.append(condition)
      }
    }
    return conditions
  }

  /// Reads a set once for each type, so that a mistake in it is not reported for every action.
  private mutating func readConditionSet(
    _ name: String,
    _ field: JSONField,
    _ type: EntityTypeID,
    _ document: Int
  ) -> [Policy.Condition] {
    guard let set = documents[document].conditionSets[name] else {
      problems.note(field.error("unknown condition set \"\(name)\""))
      return []
    }
    let known = documents[document].readConditionSets[name, default: [:]]
    if let conditions = known[type] { return conditions }
    var conditions: [Policy.Condition] = []
    for element in set {
      if let condition = readCondition(element, type, document) { conditions.append(condition) }
    }
    documents[document].readConditionSets[name, default: [:]][type] = conditions
    return conditions
  }

  /// Nothing looks at the conditions of a set that no action names, so that it could be wrong unseen.
  func checkUseOfConditionSets(_ document: Int) {
    let scope = documents[document]
    for name in scope.conditionSets.keys.sorted() where scope.readConditionSets[name] == nil {
      problems.note("condition_sets.\(name)", "is not named by any action")
    }
  }

  private mutating func readCondition(
    _ field: JSONField,
    _ type: EntityTypeID,
    _ document: Int
  ) -> Policy.Condition? {
    guard var object = PolicyObject(field, problems) else { return nil }
    let condition: Policy.Condition?
    if let field = object.optional("step_up") {
      let stepUp = problems.attempt { () throws(JSONDecodingError) in
        try words.stepUp(field)
      }
      condition = stepUp.flatMap { stepUp in
        Self.bit(of: stepUp, field, in: &stepUps, problems).map { .stepUp($0) }
      }
    } else if let field = object.optional("feature") {
      let feature = problems.attempt { () throws(JSONDecodingError) in
        try words.feature(field)
      }
      if let feature { documents[document].features.insert(feature) }
      condition = feature.flatMap { feature in
        Self.bit(of: feature, field, in: &features, problems).map { .feature($0) }
      }
    } else if let daily = object.optional("daily") {
      condition = readDaily(daily)
    } else {
      let test = readTest(&object, type)
      let reason = object.required("otherwise") { field throws(JSONDecodingError) in
        guard let reason = ReasonCode(rawValue: try field.string()),
          ReasonCode.ofAttributes.contains(reason)
        else {
          let known = ReasonCode.ofAttributes.map(\.rawValue).joined(separator: ", ")
          throw field.error("must be one of: \(known)")
        }
        return reason
      }
      if let test, let reason {
        condition = .attribute(test, otherwise: reason)
      } else {
        condition = nil
      }
    }
    object.finish()
    return condition
  }

  private mutating func readDaily(_ field: JSONField) -> Policy.Condition? {
    guard var object = PolicyObject(field, problems) else { return nil }
    let from = object.required("from") { field throws(JSONDecodingError) in
      try Self.minuteOfDay(field)
    }
    let until = object.required("until") { field throws(JSONDecodingError) in
      try Self.minuteOfDay(field)
    }
    var days: RecurringWindow.Weekdays? = .all
    if let field = object.optional("days") {
      days = problems.attempt { () throws(JSONDecodingError) in try Self.weekdays(field) }
    }
    var zone: String? = "UTC"
    if let field = object.optional("time_zone") {
      zone = problems.attempt { () throws(JSONDecodingError) in try field.string() }
      if let name = zone, zoneRules(of: name) == nil {
        problems.note(
          field.error(
            "unknown time zone \"\(name)\"; use an IANA name like Europe/Berlin, and install tzdata"
          )
        )
      }
    }
    object.finish()
    guard let from, let until, let days, let zone, let rules = zoneRules(of: zone) else {
      return nil
    }
    guard let window = RecurringWindow(days: days, from: from, until: until, timeZone: zone) else {
      problems.note(field.error("needs an until that differs from from, which is never 24:00"))
      return nil
    }
    let zoned = ZonedWindow(window: window, rules: rules)
    let place = windows.firstIndex(of: zoned) ?? windows.count
    if place == windows.count { windows.append(zoned) }
    return .daily(place)
  }

  static func weekdays(
    _ field: JSONField
  ) throws(JSONDecodingError) -> RecurringWindow.Weekdays {
    guard let days = RecurringWindow.Weekdays(names: try field.strings()), !days.isEmpty else {
      let names = RecurringWindow.Weekdays.names.joined(separator: ", ")
      throw field.error("must be one or more of: \(names)")
    }
    return days
  }

  private func zoneRules(of zone: String) -> TimeZoneRules? {
    zones.rules(ofWindowIn: zone)
  }

  func readDeny(
    _ field: JSONField,
    _ type: EntityTypeID,
    _ scope: PolicyDocument
  ) -> Policy.Deny? {
    guard var object = PolicyObject(field, problems) else { return nil }
    let name = object.required("name") { field throws(JSONDecodingError) in try Self.name(field) }
    let roleFields = problems.elements(object.optional("roles"))
    var roles: RoleSet?
    for element in roleFields {
      let role = problems.attempt { () throws(JSONDecodingError) in try scope.role(element) }
      guard let role else { continue }
      var set = roles ?? .none
      set.insert(role)
      roles = set
    }
    let testFields = problems.elements(object.optional("when"))
    var tests: [Policy.AttributeTest] = []
    for element in testFields {
      guard var test = PolicyObject(element, problems) else { continue }
      if let test = readTest(&test, type) { tests.append(test) }
      test.finish()
    }
    object.finish()
    guard !roleFields.isEmpty || !testFields.isEmpty else {
      problems.note(
        field.error("must name roles or a condition; nobody could ever perform this action")
      )
      return nil
    }
    return name.map { Policy.Deny(name: $0, roles: roles, tests: tests) }
  }

  private func readTest(
    _ object: inout PolicyObject,
    _ type: EntityTypeID
  ) -> Policy.AttributeTest? {
    let field = object.required("attribute")
    let values = object.required("equals")
    let name = field.flatMap { field in
      problems.attempt { () throws(JSONDecodingError) in try field.string() }
    }
    guard let field, let name, let values, !isUnreadable(name, of: type) else { return nil }
    let attribute = types[Int(type.index)].attributes.first { $0.name == name }
    guard let attribute, let slot = attribute.slot else {
      problems.note(
        field.error("must be an attribute of this type that is a boolean or a choice")
      )
      return nil
    }
    var codes: UInt64 = 0
    for value in values.value.array == nil ? [values] : problems.elements(values) {
      let code = problems.attempt { () throws(JSONDecodingError) in
        attribute.code(try Self.value(value, of: attribute))
      }
      if let code { codes |= 1 << UInt64(code) }
    }
    return Policy.AttributeTest(slot: slot, codes: codes)
  }

  static func bit(
    of name: String,
    _ field: JSONField,
    in names: inout [String],
    _ problems: PolicyProblems
  ) -> UInt64? {
    if let place = names.firstIndex(of: name) { return 1 << UInt64(place) }
    guard names.count < 64 else {
      problems.note(field.error("policies can name at most 64 of these together"))
      return nil
    }
    names.append(name)
    return 1 << UInt64(names.count - 1)
  }

  static func minuteOfDay(_ field: JSONField) throws(JSONDecodingError) -> Int {
    guard let minute = RecurringWindow.minute(ofDay: try field.string()) else {
      throw field.error("must be a time of day as HH:MM")
    }
    return minute
  }
}
