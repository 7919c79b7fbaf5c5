import AccessEngine
import Foundation
import Testing

@testable import TenancyService

/// `schemas/policy.schema.json` against the loader of policies.
@Suite("The JSON Schema of policies")
struct PolicySchemaTests {
  private let schema = SchemaFile(name: "policy.schema.json")

  private func loads(_ text: String) -> Bool {
    (try? Policy.load(Array(text.utf8), zones: TimeZoneFiles())) != nil
  }

  @Test("Every policy of the repository is valid in both, with and without $schema")
  func files_ofRepository_areValid() throws {
    let folder = SchemaFile.root.appending(path: "policies").path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".json") }
    #expect(names.count >= 3)
    let texts = try names.map { try SchemaFile.text("policies/\($0)") }
    let named = texts.map {
      $0.replacing("{", with: #"{ "$schema": "../schemas/policy.schema.json","#, maxReplacements: 1)
    }
    for text in texts + named { #expect(loads(text)) }
    #expect(try schema.refused(texts + named) == [])
  }

  @Test("A policy that uses every member is valid in both")
  func everyMember_isValid() throws {
    #expect(loads(Self.everything))
    #expect(try schema.refused([Self.everything]) == [])
    // The schema names no member that the policy does not use: one that nobody reads any more would be
    // offered by editors for ever.
    let names = try Self.properties(of: SchemaFile.text("schemas/policy.schema.json"))
    #expect(names.count > 60)
    for name in names.sorted() { #expect(Self.everything.contains("\"\(name)\""), "\(name)") }
    let text = try SchemaFile.text("schemas/policy.schema.json")
    for reason in ReasonCode.allCases { #expect(text.contains("\"\(reason.rawValue)\"")) }
  }

  @Test("What is planted is refused by both, or by the loader where a schema cannot say it")
  func mistakes_areRefusedByBoth() throws {
    let right = try SchemaFile.text("policies/smart-home.json")
    let texts = try Self.mistakes.map { try $0.planted(in: right) }
    let refused = try schema.refused(texts)
    for (place, mistake) in Self.mistakes.enumerated() {
      #expect(!loads(texts[place]), "the loader takes \(mistake.wrong)")
      #expect(refused.contains(place) == mistake.isForSchema, "the schema and \(mistake.wrong)")
    }
  }

  private static let mistakes: [PlantedMistake] = [
    .both(#""version": 5,"#, ""), .both(#""version": 5"#, #""version": 0"#),
    .both(#""version": 5"#, #""version": "2""#), .both(#""version": 5"#, #""version": 4147483648"#),
    .both(#""version": 5"#, #""version": 5, "verison": 3"#),
    .both(#""version": 5"#, #""version": 5, "$schema": 7"#),
    .both(#""name": "smart-home""#, #""name": "Smart Home""#),
    .both(#""enabled": true,"#, ""), .both(#""enabled": true"#, #""enabled": "yes""#),
    .both(#""from": "unit", "to": "device""#, #""from": "unit""#),
    .both(#""on": ["portfolio"], "inherits_to""#, #""inherits_to""#),
    .both(#""keep_one": true"#, #""keep_one": 1"#),
    .both(#""app_name": "OWNER""#, #""app_name": """#),
    .both(#""app_name": "OWNER""#, #""app_name": "a name""#),
    .both(#""app_name": "UNIT""#, #""app_name": 7"#),
    .loader(#""app_name": "UNIT""#, #""app_name": "PROPERTY""#),
    .both(#""window": "required""#, #""window": "required", "recurring": "always""#),
    .both(#""window": "required""#, #""window": "always""#),
    .both(#""window_days_max": 366"#, #""window_days_max": 0"#),
    .both(#""granted_by": "unit.grant_guest", "lent""#, #""lent""#),
    .both(#""includes": ["portfolio_admin"]"#, #""includes": "portfolio_admin""#),
    .both(#""access_level": "use""#, #""acess_level": "use""#),
    .both(#""parents": ["property"], "prefix": "unt""#, #""prefix": "unt""#),
    .both(#""prefix": "unt""#, #""prefix": "Unit""#), .both(#""prefix": "unt""#, #""prefix": "u""#),
    .both(#""create": "property.create_unit""#, #""create": ["property.create_unit"]"#),
    .both(#""view": "unit.view","#, #""veiw": "unit.view","#),
    .both(#""min": 0, "max": 100"#, #""min": "0", "max": 100"#),
    .both(#""kind": "integer", "min": 0, "max": 100, "unit": "%""#, #""kind": "integral""#),
    .both(#""unit": "°C", "required""#, #""unit": "", "required""#),
    .both(#""kind": "color", "required""#, #""kind": "color", "unit": "K", "required""#),
    .both(#""min": 1500, "max": 9000"#, #""min": 1500.5, "max": 9000"#),
    .both(#""min": 1500, "max": 9000"#, #""max": 9007199254740993"#),
    .both(#""min": 5, "max": 35"#, #""min": "5", "max": 35"#),
    .both(#""unit": "°C", "required": true"#, #""unit": "°C", "required": true, "default": 20"#),
    .both(#""unit": "°C", "required": true"#, #""unit": "°C", "required": 1"#),
    .both(#""fan": { "kind": "choice","#, #""Fan": { "kind": "choice","#),
    .both(#""fan": { "kind": "choice","#, #""fan": { "kind": "choice", "setting": true,"#),
    .both(#""sets_attributes": true"#, #""sets_attributes": true, "parameters": {}"#),
    .both(#""access": "status", "setting": true"#, #""access": "status", "setting": "yes""#),
    .both(#""max_bytes": 64"#, #""max_bytes": 70000"#),
    .both(
      #""kind": "boolean", "access": "status", "default": true"#,
      #""kind": "boolean", "default": true"#
    ),
    .both(#""access": "status", "default": true"#, #""access": "status", "default": "true""#),
    .both(#""access": "status", "default": true"#, #""access": "status", "choices": ["a"]"#),
    .both(#""choices": ["lock", "light", "thermostat", "switch", "other"],"#, ""),
    .both(#""choices": ["lock","#, #""choices": ["lock", "lock","#),
    .both(#""device.update": { "roles""#, #""device.update": { "rolls""#),
    .both(#""device.update": { "#, #""Device.update": { "#),
    .both(#""conditions": ["reachable"]"#, #""conditions": ["reachable", {}]"#),
    .both(#""conditions": ["reachable"]"#, #""conditions": ["reachable", {"step_up": 1}]"#),
    .both(#""conditions": ["reachable"]"#, #""conditions": ["reachable", {"step_up": "totp"}]"#),
    .both(#""conditions": ["reachable"]"#, #""conditions": ["reachable", {"step_up": "pwd"}]"#),
    .both(#""conditions": ["reachable"]"#, #""conditions": ["reachable", {"feature": ""}]"#),
    .both(#""device.update": { "#, #""device.update": { "with_step_up": {"totp": ["guest"]}, "#),
    .both(#""device.update": { "#, #""device.update": { "with_step_up": ["guest"], "#),
    .both(#""roles": {"#, #""modes": {"m": {"enter": "device.view"}}, "roles": {"#),
    .both(#""roles": {"#, #""modes": {"m": {"enter": 1, "covers": []}}, "roles": {"#),
    .both(#""prefix": "unt""#, #""prefix": "unt", "holds_features_as": "stable""#),
    .both(#""prefix": "unt""#, #""prefix": "unt", "counts": { "limit": "maxUnits" }"#),
    .both(
      #""prefix": "unt""#,
      #""prefix": "unt", "counts": { "limit": "", "of": "portfolio" }"#
    ),
    .both(#""who": ["olga"]"#, #""who": ["olga"], "step_ups": ["sms"]"#),
    .both(
      #""conditions": ["reachable"]"#,
      #""conditions": [{"daily": {"from": "24:00", "until": "01:00"}}]"#
    ),
    .both(
      #""conditions": ["reachable"]"#,
      #""conditions": [{"daily": {"from": "8:00", "until": "9:00"}}]"#
    ),
    .both(
      #""conditions": ["reachable"]"#,
      #""conditions": [{"daily": {"from": "08:00", "until": "09:00", "days": ["mon"]}}]"#
    ),
    .both(#""conditions": ["reachable"]"#, #""denies": [{"name": "never"}]"#),
    .both(#""conditions": ["reachable"]"#, #""denies": [{"roles": ["guest"]}]"#),
    .both(#""reachable": ["#, #""reachable": [ "reachable","#),
    .both(#""otherwise": "DEVICE_OFFLINE""#, #""otherwise": "DEVICE_AWAY""#),
    .both(
      #""equals": true, "otherwise": "DEVICE_OFFLINE""#,
      #""equals": 1, "otherwise": "DEVICE_OFFLINE""#
    ),
    .both(#""desired_state": "locked""#, #""desired_state": 1"#),
    .both(#""sets_attributes": true"#, #""sets_attributes": true, "sets": true"#),
    .both(#""id": "pier", "type": "property""#, #""id": "pier""#),
    .both(#""from_seconds": -3600"#, #""from_seconds": 1.5"#),
    .both(#""expect": "allow" }"#, #""expect": "maybe" }"#),
    .both(#""expect": "allow" }"#, #""expect": "allow", "reason": "EXPIRED" }"#),
    .both(#""reason": "EXPIRED""#, #""reason": "TOO_LATE""#),
    .both(#""suspended": ["sam"]"#, #""suspended": "sam""#),
    .both(#""who": ["olga"],"#, ""), .both(#""who": ["olga"]"#, #""who": "olga""#),
    .both(#""who": ["olga"]"#, #""who": ["olga"], "reason": "ALLOWED""#),
    .both(#""prefix": "unt""#, #""prefix": "unt", "members": { "limits": "maxTenants" }"#),
    // What the parts of a file say about one another.
    .loader(#""prefix": "unt""#, #""prefix": "unt", "members": { "limit": "maxTenants" }"#),
    .loader(
      #""prefix": "unt""#,
      #""prefix": "unt", "counts": { "limit": "maxUnits", "of": "property" }"#
    ),
    .loader(#""roles": ["owner"] }"#, #""roles": ["ower"] }"#),
    .loader(#""may": ["unit.view","#, #""may": ["unit.view", "unit.view","#),
    .loader(#""may": ["unit.view","#, #""may": ["device.view","#),
    .loader(#""may": ["unit.view","#, #""may": ["unit.update","#),
    .loader(#""on": "flat1", "who""#, #""on": "flat3", "who""#),
    .loader(#""access_level": "use""#, #""access_level": "used""#),
    .loader(#""parents": ["property"]"#, #""parents": ["propertty"]"#),
    .loader(#""view": "unit.view""#, #""view": "device.view""#),
    .loader(#""min": 0, "max": 100"#, #""min": 101, "max": 100"#),
    .both(#""access": "status", "setting": true"#, #""setting": true, "reported": true"#),
    .both(#""default": true, "reported": true"#, #""default": true, "reported": "yes""#),
    .both(#""sets": "brightness""#, #""sets": "Brightness""#),
    .loader(#""sets": "brightness""#, #""sets": "state""#),
    .loader(#""min": 5, "max": 35"#, #""min": 36, "max": 35"#),
    .loader(#""unit": "°C", "required": true"#, #""unit": "°C", "default": 36"#),
    .loader(
      #""unit.update": { "roles""#,
      #""unit.update": { "operation": { "sets_attributes": true }, "roles""#
    ),
    .loader(#""conditions": ["reachable"]"#, #""conditions": ["reachible"]"#),
    .loader(#""condition_sets": {"#, #""condition_sets": { "spare": [],"#),
    .loader(#""attribute": "online""#, #""attribute": "battery""#),
    .loader(#""conditions": ["reachable"]"#, #""conditions": [{"feature": "gold"}]"#),
    .loader(#""who": ["olga"]"#, #""who": ["olga"], "features": ["gold"]"#),
    .loader(
      #""conditions": ["reachable"]"#,
      #""conditions": [{"daily": {"from": "08:00", "until": "09:00", "time_zone": "Mars/Base"}}]"#
    ),
    .loader(#""creator_role": "owner""#, #""creator_role": "tenant""#),
    .loader(#""id": "pier", "type": "property""#, #""id": "harbour", "type": "property""#),
    .loader(#""expect": "allow" }"#, #""expect": "deny" }"#),
  ]

  /// Names of all members that a schema declares.
  private static func properties(of text: String) throws -> Set<String> {
    var names: Set<String> = []
    func visit(_ value: Any) {
      if let object = value as? [String: Any] {
        for (name, member) in object {
          if name == "properties", let members = member as? [String: Any] {
            names.formUnion(members.keys)
            for inner in members.values { visit(inner) }
          } else {
            visit(member)
          }
        }
      } else if let elements = value as? [Any] {
        for element in elements { visit(element) }
      }
    }
    visit(try JSONSerialization.jsonObject(with: Data(text.utf8)))
    return names
  }

  private static let everything = #"""
    {
      "$schema": "schemas/policy.schema.json", "name": "everything", "version": 1,
      "access_levels": ["public", "staff"],
      "self_service": {
        "enabled": true, "type": "library", "creator_role": "head", "administrator_role": "head"
      },
      "condition_sets": {
        "open": [
          { "attribute": "lent", "equals": [false], "otherwise": "DENIED_BY_RULE" },
          {
            "daily": {
              "from": "08:00", "until": "24:00", "days": ["monday"], "time_zone": "Europe/Berlin"
            }
          }
        ]
      },
      "links": { "near": { "from": "library", "to": "book" } },
      "modes": { "staff": { "enter": "book.view", "covers": ["book.turn"] } },
      "roles": {
        "super_admin": {
          "on": ["system"], "inherits_to": ["*"], "all_actions": true, "access_level": "staff"
        },
        "head": {
          "on": ["library"], "inherits_to": ["book"], "includes": ["visitor"], "keep_one": true,
          "granted_by": "library.appoint", "removed_by": { "library": "library.appoint" },
          "through": { "near": ["book.view"] }, "access_level": "staff"
        },
        "visitor": {
          "on": ["library", "book"], "window": "required", "window_days_max": 9, "lent": true,
          "recurring": "required",
          "outlives_lender": true,
          "granted_by": { "library": "library.appoint", "book": "book.view" }
        }
      },
      "types": {
        "system": { "actions": { "system.administer": { "roles": ["super_admin"] } } },
        "library": {
          "app_name": "LIBRARY",
          "parents": ["system"], "prefix": "lib", "holds_features_as": "organization",
          "members": { "limit": "maxVisitors" },
          "lifecycle": {
            "view": "library.view", "delete": "library.view", "define_roles": "library.appoint",
            "manage_webhooks": "library.appoint"
          },
          "actions": {
            "library.view": { "roles": ["visitor"] }, "library.appoint": { "roles": ["head"] }
          }
        },
        "book": {
          "parents": ["library"], "creator_role": "head_of_book", "other_attributes": "staff",
          "counts": { "limit": "maxBooks", "of": "library" },
          "attributes": {
            "title": { "kind": "text", "max_bytes": 9, "access": "public", "default": "new" },
            "pages": {
              "kind": "integer", "min": 0, "max": 99, "access": "staff", "default": 1,
              "reported": true
            },
            "lent": { "kind": "boolean", "access": "public", "default": false, "setting": true },
            "kind": {
              "kind": "choice", "choices": ["paper", "film"], "access": "public",
              "default": "paper"
            }
          },
          "lifecycle": {
            "create": { "library": "library.appoint" }, "view": "book.view",
            "update": "book.turn", "move": "book.turn", "delete": "book.turn",
            "list_associations": "book.turn", "report": "book.turn", "report_feature": "gold"
          },
          "actions": {
            "book.view": {
              "roles": ["visitor"],
              "conditions": ["open", { "step_up": "pin" }, { "feature": "gold" }],
              "denies": [
                {
                  "name": "night", "roles": ["visitor"],
                  "when": [{ "attribute": "kind", "equals": "film" }]
                }
              ]
            },
            "book.mark": {
              "roles": ["head"], "with_step_up": { "family_pin": ["visitor"] },
              "operation": {
                "parameters": {
                  "page": {
                    "kind": "number", "min": 0.5, "max": 99, "unit": "p", "required": true,
                    "sets": "bookmark"
                  },
                  "ink": { "kind": "color", "default": "#ff8800" }
                }
              }
            },
            "book.turn": {
              "roles": ["head"],
              "operation": {
                "desired_state": "turned", "sets_attributes": true, "kinds": ["paper"]
              }
            }
          }
        }
      },
      "assertions": {
        "entities": [
          { "id": "city", "type": "library" },
          { "id": "atlas", "type": "book", "parent": "city", "attributes": { "lent": false } }
        ],
        "links": [{ "link": "near", "from": "city", "to": "atlas" }],
        "associations": [
          { "user": "hed", "role": "head", "on": "city" },
          {
            "user": "vic", "role": "visitor", "on": "atlas", "from_seconds": -9,
            "until_seconds": 9,
            "recurring": { "from": "00:00", "until": "24:00", "days": ["monday"] }
          }
        ],
        "suspended": ["sam"],
        "matrix": [
          {
            "who": ["vic"], "on": "atlas", "may": ["book.view"], "at_seconds": 1, "step_ups": ["pin"],
            "features": ["gold"]
          }
        ],
        "expect": [
          {
            "who": "vic", "action": "book.view", "on": "atlas", "expect": "allow",
            "reason": "ALLOWED", "at_seconds": 1, "step_ups": ["pin"], "features": ["gold"]
          },
          {
            "who": "vic", "action": "book.turn", "on": "atlas", "expect": "deny",
            "reason": "ROLE_LACKS_ACTION"
          }
        ]
      }
    }
    """#.replacing("head_of_book", with: "keeper")
    .replacing(
      #""roles": {"#,
      with: #""roles": { "keeper": { "on": ["book"] },"#,
      maxReplacements: 1
    )
}
