/// The policy of a made-up product, libraries with shelves and books, of which no Swift code knows
/// anything.
enum ReadingRoomPolicy {
  static let text = """
    {
      "name": "reading-room", "version": 1,
      "access_levels": ["public", "member", "staff"],
      "self_service": {
        "enabled": true, "type": "library", "creator_role": "head_librarian",
        "administrator_role": "librarian"
      },
      "links": { "reserved": { "from": "shelf", "to": "book" } },
      "roles": {
        "super_admin": {
          "on": ["system"], "inherits_to": ["*"], "all_actions": true, "access_level": "staff"
        },
        "head_librarian": {
          "on": ["library"], "inherits_to": ["library", "shelf", "book"],
          "includes": ["librarian"],
          "keep_one": true, "access_level": "staff", "granted_by": "library.appoint"
        },
        "librarian": {
          "on": ["library", "shelf"], "inherits_to": ["shelf", "book"],
          "includes": ["cataloguer"], "access_level": "staff",
          "granted_by": { "library": "library.appoint", "shelf": "shelf.appoint" }
        },
        "cataloguer": {
          "on": ["library"], "inherits_to": ["shelf", "book"], "access_level": "member",
          "granted_by": "library.appoint"
        },
        "reader": {
          "on": ["library", "shelf"], "inherits_to": ["shelf", "book"], "access_level": "public",
          "granted_by": { "library": "library.admit", "shelf": "shelf.admit" }
        },
        "borrower": {
          "on": ["book"], "window": "required", "window_days_max": 30, "access_level": "member",
          "granted_by": "book.lend", "lent": true
        }
      },
      "types": {
        "system": { "actions": { "system.administer": { "roles": ["super_admin"] } } },
        "library": {
          "parents": ["system", "library"], "prefix": "lib",
          "attributes": { "open": { "kind": "boolean", "access": "public", "default": true } },
          "lifecycle": {
            "create": { "library": "library.add_branch" },
            "view": "library.view", "update": "library.update", "delete": "library.close",
            "move": "library.move", "list_associations": "library.list_staff"
          },
          "actions": {
            "library.view": { "roles": ["cataloguer", "reader"] },
            "library.update": { "roles": ["head_librarian"] },
            "library.close": { "roles": ["head_librarian"] },
            "library.move": { "roles": ["head_librarian"] },
            "library.appoint": { "roles": ["head_librarian"] },
            "library.admit": { "roles": ["librarian"] },
            "library.list_staff": { "roles": ["librarian"] },
            "library.add_branch": { "roles": ["head_librarian"] },
            "library.add_shelf": { "roles": ["librarian"] }
          }
        },
        "shelf": {
          "parents": ["library"], "prefix": "shf",
          "lifecycle": {
            "create": "library.add_shelf", "view": "shelf.view", "update": "shelf.update",
            "delete": "shelf.remove", "move": "shelf.move",
            "list_associations": "shelf.list_readers"
          },
          "actions": {
            "shelf.view": { "roles": ["cataloguer", "reader"] },
            "shelf.update": { "roles": ["librarian"] },
            "shelf.move": { "roles": ["librarian"] },
            "shelf.remove": { "roles": ["librarian"] },
            "shelf.appoint": { "roles": ["head_librarian"] },
            "shelf.admit": { "roles": ["librarian"] },
            "shelf.list_readers": { "roles": ["librarian"] },
            "shelf.add_book": { "roles": ["cataloguer"] }
          }
        },
        "book": {
          "parents": ["shelf"], "prefix": "bok", "other_attributes": "member",
          "attributes": {
            "genre": {
              "kind": "choice", "choices": ["fiction", "science", "rare"], "access": "public"
            },
            "lendable": { "kind": "boolean", "access": "public", "default": true },
            "damaged": { "kind": "boolean", "access": "staff", "default": false },
            "pages": { "kind": "integer", "min": 1, "max": 10000, "access": "public" },
            "price": { "kind": "integer", "min": 0, "access": "staff" }
          },
          "lifecycle": {
            "create": "shelf.add_book", "view": "book.view", "update": "book.update",
            "delete": "book.remove", "move": "book.move", "list_associations": "book.list_borrowers"
          },
          "actions": {
            "book.view": { "roles": ["cataloguer", "reader", "borrower"] },
            "book.read": {
              "roles": ["librarian", "borrower"],
              "conditions": [
                { "attribute": "lendable", "equals": true, "otherwise": "DENIED_BY_RULE" }
              ]
            },
            "book.update": { "roles": ["cataloguer"] },
            "book.move": { "roles": ["librarian"] },
            "book.remove": { "roles": ["librarian"] },
            "book.lend": { "roles": ["librarian"] },
            "book.list_borrowers": { "roles": ["librarian"] }
          }
        },
        "stamp": { "parents": ["library"], "actions": { "stamp.use": { "roles": ["librarian"] } } }
      },
      "assertions": {
        "entities": [
          { "id": "city", "type": "library" },
          { "id": "east", "type": "shelf", "parent": "city" },
          { "id": "atlas", "type": "book", "parent": "east" }
        ],
        "associations": [
          { "user": "hanna", "role": "head_librarian", "on": "city" },
          { "user": "rosa", "role": "reader", "on": "city" },
          {
            "user": "ben", "role": "borrower", "on": "atlas", "from_seconds": -60,
            "until_seconds": 3600
          }
        ],
        "expect": [
          { "who": "hanna", "action": "book.lend", "on": "atlas", "expect": "allow" },
          { "who": "ben", "action": "book.read", "on": "atlas", "expect": "allow" },
          {
            "who": "rosa", "action": "book.read", "on": "atlas", "expect": "deny",
            "reason": "ROLE_LACKS_ACTION"
          }
        ]
      }
    }
    """

  /// The same, with roles of a library's own, which librarians may define.
  static let textWithDefinitions: String = {
    var text = ReadingRoomPolicy.text
    text.replace(
      #""move": "library.move", "list_associations": "library.list_staff""#,
      with: #"""
        "move": "library.move", "list_associations": "library.list_staff",
        "define_roles": "library.define_roles"
        """#
    )
    text.replace(
      #""library.add_branch": { "roles": ["head_librarian"] },"#,
      with: #"""
        "library.add_branch": { "roles": ["head_librarian"] },
        "library.define_roles": { "roles": ["librarian"] },
        """#
    )
    return text
  }()
}
