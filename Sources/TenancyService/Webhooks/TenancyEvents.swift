internal import ServiceKit

/// The actions of TenancyService that are news for other systems (docs/reference/events.md), besides those on
/// records, which say themselves what they are.
enum TenancyEvents {
  static let rules: EventRules = [
    "user.suspend": EventRule("user.suspended"),
    "user.resume": EventRule("user.resumed"),
    "policy.load": EventRule("policy.changed", about: .nobody),
    "unit.set_common_areas": EventRule(
      "entity.updated",
      about: .nobody,
      ["changed": "common_areas"]
    ),
  ]
}
