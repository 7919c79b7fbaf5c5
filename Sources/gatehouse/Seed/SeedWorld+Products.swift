/// The worlds of the products.
extension SeedWorld {
  static let smartHome = SeedWorld(
    domain: "smart-home.example",
    people: [
      Person(key: "ada", name: "Ada Owner", about: "owns the portfolio"),
      Person(key: "grace", name: "Grace Manager", about: "manages Pier 4"),
      Person(key: "tom", name: "Tom Tenant", about: "rents flat 1"),
      Person(key: "gus", name: "Gus Guest", about: "may open the door of flat 1 for 30 days"),
    ],
    things: [
      Thing(key: "harbour", type: "portfolio", name: "Harbour Homes", by: "ada"),
      Thing(key: "pier", type: "property", name: "Pier 4", parent: "harbour", by: "ada"),
      Thing(key: "flat1", type: "unit", name: "Flat 1", parent: "pier", by: "ada"),
      Thing(key: "flat2", type: "unit", name: "Flat 2", parent: "pier", by: "ada"),
      Thing(
        key: "door",
        type: "device",
        name: "Door of flat 1",
        parent: "flat1",
        by: "ada",
        attributes: #"{"kind": "lock"}"#
      ),
      Thing(
        key: "heating",
        type: "device",
        name: "Heating of flat 1",
        parent: "flat1",
        by: "ada",
        attributes: #"{"kind": "thermostat"}"#
      ),
      Thing(
        key: "door2",
        type: "device",
        name: "Door of flat 2",
        parent: "flat2",
        by: "ada",
        attributes: #"{"kind": "lock"}"#
      ),
    ],
    roles: [
      Role(role: "property_manager", to: "grace", on: "pier", by: "ada"),
      Role(role: "tenant", to: "tom", on: "flat1", by: "grace"),
      Role(role: "guest", to: "gus", on: "door", by: "grace", days: 30),
    ],
    next: [
      "gatehouse login tom@smart-home.example",
      "gatehouse call Devices/List --output table",
      #"gatehouse call Devices/Operate '{"deviceId": "{door}", "operation": "unlock"}'"#,
      "gatehouse explain me device.unlock {door2}",
    ]
  )

  static let stables = SeedWorld(
    domain: "stables.example",
    people: [
      Person(key: "olga", name: "Olga Owner", about: "owns the organization"),
      Person(key: "marta", name: "Marta Manager", about: "manages the north stable"),
      Person(key: "vera", name: "Vera Vet", about: "treats Bella and no other horse"),
      Person(key: "greta", name: "Greta Groom", about: "is a groom in the north stable"),
      Person(key: "hanna", name: "Hanna Rider", about: "owns Bella"),
    ],
    things: [
      Thing(key: "meadow", type: "organization", name: "Meadow Farm", by: "olga"),
      Thing(
        key: "north",
        type: "stable",
        name: "North Stable",
        parent: "meadow",
        by: "olga",
        attributes: #"{"city": "Uppsala", "time_zone": "Europe/Stockholm"}"#
      ),
      Thing(
        key: "bella",
        type: "horse",
        name: "Bella",
        parent: "north",
        by: "olga",
        attributes: #"""
          {"breed": "Icelandic", "age": 9, "notes": "shy at the gate", "chip_number": "752098100",
           "medical_notes": "sound", "owner_name": "Hanna Rider"}
          """#
      ),
      Thing(
        key: "dan",
        type: "horse",
        name: "Dan",
        parent: "north",
        by: "olga",
        attributes: #"{"breed": "Fjord", "age": 14, "notes": "no sugar"}"#
      ),
    ],
    roles: [
      Role(role: "stable_manager", to: "marta", on: "north", by: "olga"),
      Role(role: "groom", to: "greta", on: "north", by: "marta"),
      Role(role: "veterinarian", to: "vera", on: "bella", by: "marta"),
      Role(role: "horse_owner", to: "hanna", on: "bella", by: "marta"),
    ],
    next: [
      "gatehouse login vera@stables.example",
      #"gatehouse call Entities/List '{"type": "horse"}'"#,
      "gatehouse login greta@stables.example",
      #"gatehouse call Permissions/Fetch '{"entityId": "{meadow}"}'"#,
      "gatehouse explain me horse.manage_records {bella}",
    ]
  )

  static let family = SeedWorld(
    domain: "family.example",
    people: [
      Person(key: "olive", name: "Olive Kerr", about: "is the organizer of the family"),
      Person(key: "paul", name: "Paul Kerr", about: "is a parent"),
      Person(key: "gwen", name: "Gwen Kerr", about: "is a guardian, who only looks"),
      Person(key: "annie", name: "Annie Kerr", about: "is the child Ann"),
    ],
    things: [
      Thing(key: "kerr", type: "family", name: "Kerr", by: "olive"),
      Thing(
        key: "ann",
        type: "child",
        name: "Ann",
        parent: "kerr",
        by: "olive",
        attributes: #"{"avatar": "fox", "birth_year": 2016}"#
      ),
      Thing(
        key: "ben",
        type: "child",
        name: "Ben",
        parent: "kerr",
        by: "olive",
        attributes: #"{"avatar": "owl", "birth_year": 2018}"#
      ),
    ],
    roles: [
      Role(role: "parent", to: "paul", on: "kerr", by: "olive", isGuarded: true),
      Role(role: "guardian", to: "gwen", on: "kerr", by: "olive", isGuarded: true),
      Role(role: "child", to: "annie", on: "ann", by: "paul"),
      Role(role: "child_device", to: "annie", on: "kerr", by: "paul"),
    ],
    steps: [
      rule("ann", "com.example.math", earns: 2, costs: 4),
      rule("ann", "com.example.reading", earns: 1, costs: 4),
      rule("ben", "com.example.reading", earns: 1, costs: 3),
      Step(
        by: "annie",
        method: "Points/Earn",
        request: #"{"holderId": "{ann}", "app": "com.example.math", "minutes": 30}"#,
        unless: Lookup(
          method: "Points/History",
          request: #"{"holderId": "{ann}", "pageSize": 1}"#,
          list: "entries"
        )
      ),
    ],
    familyPin: FamilyPin(family: "kerr", pin: "482915", by: "olive"),
    next: [
      "gatehouse login annie@family.example",
      #"gatehouse call Points/Balances '{"holderId": "{ann}"}' --output table"#,
      #"gatehouse call Points/Redeem '{"holderId": "{ann}", "reward": "games", "parts": [{"app": "com.example.math", "points": 20}]}'"#,
      #"gatehouse call Points/ActiveRewards '{"holderId": "{ann}"}'"#,
      #"gatehouse call StepUp/VerifyFamilyPin '{"familyId": "{kerr}", "pin": "482915"}'"#,
    ]
  )

  static let journal = SeedWorld(
    domain: "journal.example",
    people: [
      Person(key: "mia", name: "Mia Writer", about: "has a week of moods and a chat"),
      Person(key: "noah", name: "Noah Writer", about: "has one mood, and sees none of Mia's"),
    ],
    steps: [
      document("mia", "settings", "app", #"{"theme": "dark", "reminder": "20:00"}"#),
      document("mia", "moods", "2026-11-16", #"{"level": 2, "note": "long day"}"#),
      document("mia", "moods", "2026-11-17", #"{"level": 3, "note": "walked home"}"#),
      document("mia", "moods", "2026-11-18", #"{"level": 5, "note": "saw Noah"}"#),
      document("mia", "sessions", "s1", #"{"title": "Sleep", "messages": 2}"#),
      document("mia", "chat_messages", "c1", #"{"session": "s1", "text": "I slept badly."}"#),
      document("mia", "insights", "i1", #"{"text": "Walking helps."}"#),
      document("noah", "moods", "2026-11-18", #"{"level": 4, "note": "saw Mia"}"#),
    ],
    next: [
      "gatehouse login mia@journal.example",
      #"gatehouse call Documents/List '{"collection": "moods", "sortField": "level", "descending": true}'"#,
      #"gatehouse watch Documents/Watch '{"collection": "moods"}'"#,
      "gatehouse call Documents/GetUsage --output table",
    ]
  )

  private static func rule(_ child: String, _ app: String, earns: Int, costs: Int) -> Step {
    Step(
      by: "olive",
      method: "Points/SetRule",
      request: """
        {"holderId": "{\(child)}", "rule": {"app": "\(app)", "pointsPerMinute": \(earns), \
        "pointsPerRewardMinute": \(costs)}}
        """,
      unless: Lookup(
        method: "Points/ListRules",
        request: "{\"holderId\": \"{\(child)}\"}",
        list: "rules",
        app: app
      ),
      isGuarded: true
    )
  }

  private static func document(
    _ person: String,
    _ collection: String,
    _ id: String,
    _ json: String
  ) -> Step {
    let escaped = json.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\\\"")
    return Step(
      by: person,
      method: "Documents/Put",
      request: """
        {"put": {"collection": "\(collection)", "documentId": "\(id)", "createOnly": true, \
        "json": "\(escaped)"}}
        """
    )
  }
}
