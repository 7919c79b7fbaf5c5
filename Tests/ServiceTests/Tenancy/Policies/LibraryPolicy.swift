/// A second product, made up: a network of libraries.
///
/// No Swift code knows anything of it.
enum LibraryPolicy {
  static let text = """
    {
      "name": "library", "version": 3,
      "access_levels": ["open", "staff"],
      "links": { "lends_to": { "from": "branch", "to": "shelf" } },
      "roles": {
        "root": { "on": ["system"], "inherits_to": ["*"], "all_actions": true },
        "director": {
          "on": ["network"], "inherits_to": ["branch", "shelf", "book"], "includes": ["librarian"]
        },
        "librarian": {
          "on": ["network", "branch"], "inherits_to": ["shelf", "book"], "includes": ["reader"],
          "through": { "lends_to": ["shelf.sort", "shelf.see"] }
        },
        "reader": { "on": ["branch", "shelf"], "inherits_to": ["book"] },
        "visitor": { "on": ["book", "shelf"], "window": "required", "window_days_max": 2 },
        "banned": { "on": ["branch"], "inherits_to": ["book"] }
      },
      "types": {
        "system": { "actions": { "network.found": { "roles": [] } } },
        "network": {
          "parents": ["system", "network"], "holds_features_as": "organization",
          "actions": { "see": { "roles": ["director"] }, "network.close": { "roles": ["director"] } }
        },
        "branch": {
          "parents": ["network"],
          "attributes": {
            "open": { "kind": "boolean", "access": "open", "default": true }
          },
          "actions": {
            "see": {
              "roles": ["librarian", "reader"],
              "denies": [{ "name": "closed", "when": [{ "attribute": "open", "equals": false }] }]
            }
          }
        },
        "shelf": {
          "parents": ["branch"],
          "attributes": {
            "section": {
              "kind": "choice", "choices": ["fiction", "science", "rare"], "access": "open"
            },
            "lit": { "kind": "boolean", "access": "staff" }
          },
          "actions": {
            "shelf.see": { "roles": ["reader", "visitor"] },
            "shelf.sort": {
              "roles": ["librarian"],
              "conditions": [
                { "daily": { "from": "20:00", "until": "06:30" } },
                { "attribute": "lit", "equals": true, "otherwise": "DEVICE_OFFLINE" }
              ]
            }
          }
        },
        "book": {
          "parents": ["shelf", "branch", "book"],
          "attributes": {
            "kind": {
              "kind": "choice", "choices": ["common", "precious", "lost"], "access": "open",
              "default": "common"
            },
            "pages": { "kind": "integer", "min": 1, "access": "open" },
            "lendable": { "kind": "boolean", "access": "open", "default": true }
          },
          "actions": {
            "see": { "roles": ["reader", "visitor"] },
            "book.lend": {
              "roles": ["reader"],
              "conditions": [
                { "attribute": "kind", "equals": ["common", "precious"], "otherwise": "DENIED_BY_RULE" },
                {
                  "attribute": "lendable", "equals": true,
                  "otherwise": "REMOTE_OPERATION_DISABLED"
                },
                { "step_up": "pin" },
                { "feature": "lending" }
              ],
              "denies": [
                { "name": "ban", "roles": ["banned"] },
                {
                  "name": "precious", "roles": ["reader", "visitor"],
                  "when": [{ "attribute": "kind", "equals": "precious" }]
                }
              ]
            }
          }
        }
      },
      "assertions": {
        "entities": [
          { "id": "net", "type": "network" },
          { "id": "east", "type": "branch", "parent": "net" },
          { "id": "west", "type": "branch", "parent": "net" },
          {
            "id": "attic", "type": "shelf", "parent": "east", "attributes": { "lit": true }
          },
          { "id": "atlas", "type": "book", "parent": "attic" }
        ],
        "links": [{ "link": "lends_to", "from": "west", "to": "attic" }],
        "associations": [
          { "user": "dora", "role": "director", "on": "net" },
          { "user": "liam", "role": "librarian", "on": "west" },
          { "user": "rosa", "role": "reader", "on": "east" },
          { "user": "rosa", "role": "banned", "on": "east" }
        ],
        "expect": [
          { "who": "dora", "action": "network.close", "on": "net", "expect": "allow" },
          {
            "who": "dora", "action": "book.lend", "on": "atlas", "expect": "deny",
            "reason": "FEATURE_NOT_AVAILABLE", "step_ups": ["pin"]
          },
          {
            "who": "dora", "action": "book.lend", "on": "atlas", "expect": "deny",
            "reason": "STEP_UP_REQUIRED", "features": ["lending"]
          },
          {
            "who": "dora", "action": "book.lend", "on": "atlas", "expect": "allow",
            "features": ["lending"], "step_ups": ["pin"]
          },
          {
            "who": "rosa", "action": "book.lend", "on": "atlas", "expect": "deny",
            "reason": "DENIED_BY_RULE", "features": ["lending"], "step_ups": ["pin"]
          },
          {
            "who": "liam", "action": "shelf.sort", "on": "attic", "expect": "deny",
            "reason": "DENIED_BY_RULE"
          },
          {
            "who": "liam", "action": "shelf.sort", "on": "attic", "expect": "allow",
            "at_seconds": 36000
          }
        ]
      }
    }
    """
}
