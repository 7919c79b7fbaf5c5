internal import ServiceKit

/// The answer of `Permissions.Explain` as a tree for people: the decision, and below it what it follows
/// from.
struct ExplanationText {
  private let explanation: JSONObject
  private let style: TextStyle

  /// Of the message as JSON, with all its fields.
  init(_ explanation: JSONValue, style: TextStyle) {
    self.explanation = explanation.object ?? [:]
    self.style = style
  }

  /// The lines of the tree, without what a terminal would act upon: names come from the other side.
  var lines: [String] {
    let conditions = objects("conditions").map { condition($0) }
    let denies = objects("denies").map { deny($0) }
    let rest =
      sufficient + places + section("rules that can forbid it", denies)
      + section("conditions", conditions)
    return [style.heading(FailureText.printable(decision))]
      + rest.map { FailureText.printable($0) }
  }

  private func objects(_ name: String) -> [JSONObject] { Self.objects(explanation[name]) }

  private static func objects(_ value: JSONValue?) -> [JSONObject] {
    (value?.array ?? []).compactMap(\.object)
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["  \(title)"] + lines.map { "    \($0)" }
  }

  // MARK: The decision

  private var decisionObject: JSONObject { explanation["decision"]?.object ?? [:] }

  private var decision: String {
    let decision = decisionObject
    let reason = Self.word(decision["reason"], "REASON_")
    guard decision["allowed"]?.boolean == true else { return "refused: \(reason)" }
    return "allowed: \(Self.text(decision["role"])) on \(Self.text(decision["viaEntityId"]))"
  }

  private var sufficient: [String] {
    let roles = (decisionObject["sufficientRoles"]?.array ?? []).compactMap(\.string)
    return roles.isEmpty ? [] : ["  roles that allow it: \(roles.joined(separator: ", "))"]
  }

  // MARK: Roles

  private var places: [String] {
    var lines: [String] = []
    for place in objects("places") {
      lines.append("  \(Self.place(place))")
      lines += Self.objects(place["roles"]).map { "    \(Self.role($0))" }
    }
    let omitted = explanation["omittedRoles"]?.integer ?? 0
    if omitted > 0 { lines.append("  and \(omitted) more roles") }
    return lines.isEmpty ? ["  no role reaches it"] : lines
  }

  private static func place(_ place: JSONObject) -> String {
    let entity = text(place["entityId"])
    let name = [text(place["entityType"]), entity].filter { !$0.isEmpty }.joined(separator: " ")
    return switch word(place["reach"], "ROLE_REACH_") {
    case "OWN": "on \(name)"
    case "LINK": "on \(name), by the link \(text(place["link"]))"
    case "ABOVE": "on \(name), above it"
    case "ELSEWHERE": "on \(name), which does not count"
    default: "on \(name)"
    }
  }

  private static func role(_ role: JSONObject) -> String {
    var parts: [String] = []
    switch word(role["window"], "WINDOW_STATE_") {
    case "NOT_YET": parts.append("begins \(text(role["validFrom"], else: "later"))")
    case "OVER": parts.append("ended \(text(role["validUntil"], else: "earlier"))")
    case "CLOSED": parts.append("not at these hours")
    default:
      let end = text(role["validUntil"])
      parts.append(end.isEmpty ? "in force" : "in force until \(end)")
    }
    if let hours = role["recurring"]?.object { parts.append(self.hours(hours)) }
    let includes = role["includesAction"]?.boolean == true
    parts.append(includes ? "includes the action" : "does not include the action")
    if role["decisive"]?.boolean == true { parts.append("decides") }
    let custom = text(role["customRole"])
    let name = custom.isEmpty ? text(role["role"]) : "\(custom), a \(text(role["role"]))"
    return "\(name): \(parts.joined(separator: ", "))"
  }

  // MARK: Rules and conditions

  private func deny(_ deny: JSONObject) -> String {
    let roles = (deny["roles"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
    let whom = roles.isEmpty ? "" : " for \(roles)"
    let applies = deny["applies"]?.boolean == true ? "applies" : "does not apply"
    return "\(Self.text(deny["name"]))\(whom): \(applies)"
  }

  private func condition(_ condition: JSONObject) -> String {
    let holds = condition["holds"]?.boolean == true
    let reason = Self.word(condition["otherwise"], "REASON_")
    let outcome = holds ? "holds" : "does not hold (\(reason))"
    let decides = condition["decisive"]?.boolean == true ? ", decides" : ""
    return "\(Self.subject(of: condition)): \(outcome)\(decides)"
  }

  /// The subject of a condition.
  private static func subject(of condition: JSONObject) -> String {
    if let attribute = condition["attribute"]?.object {
      let values = (attribute["values"]?.array ?? []).compactMap(\.string)
      return "\(text(attribute["name"])) = \(values.joined(separator: " or "))"
    }
    if let daily = condition["daily"]?.object { return hours(daily) }
    if let stepUp = condition["stepUp"]?.string { return "step-up \(stepUp)" }
    if let feature = condition["feature"]?.string { return "feature \(feature)" }
    return "an attribute that you may not see"
  }

  /// A window that recurs.
  private static func hours(_ window: JSONObject) -> String {
    let days = (window["days"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
    let times = "\(text(window["from"])) to \(text(window["until"])) \(text(window["timeZone"]))"
    return days.isEmpty ? times : "\(days) \(times)"
  }

  private static func text(_ value: JSONValue?, else other: String = "") -> String {
    value?.string.flatMap { $0.isEmpty ? nil : $0 } ?? other
  }

  /// The name of an enum's value without what all of them begin with.
  private static func word(_ value: JSONValue?, _ prefix: String) -> String {
    let name = text(value)
    return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
  }
}
