import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Entities of a product that only its policy knows")
struct EntitiesTests {
  private static let hanna = "usr_hanna"
  private static let carl = "usr_carl"
  private static let rosa = "usr_rosa"

  /// A library of Hanna's, with a shelf, Carl who catalogues and Rosa who reads.
  private func library(_ stage: TenancyStage) async throws -> (library: String, shelf: String) {
    let library = try await stage.create("library", name: "City", by: Self.hanna).id
    let shelf = try await stage.create("shelf", under: library, name: "East", by: Self.hanna).id
    try await stage.grant("cataloguer", on: library, to: Self.carl, by: Self.hanna)
    try await stage.grant("reader", on: library, to: Self.rosa, by: Self.hanna)
    return (library, shelf)
  }

  @Test("Whoever creates a root by self-service gets the policy's creator role on it")
  func create_rootBySelfService_givesCreatorRole() async throws {
    try await ReadingRoom.run { stage in
      let library = try await stage.create("library", name: "City", by: Self.hanna)
      #expect(library.id.hasPrefix("lib_"))
      #expect(library.parentId == "sys_root" && library.type == "library")
      #expect(library.accessLevel == "staff")
      let held = try await stage.roles.listByUser(.init(), options: .by(Self.hanna)).associations
      #expect(held.map(\.role) == ["head_librarian"] && held.map(\.entityId) == [library.id])
      #expect(try await stage.reason(Self.hanna, "library.close", library.id) == .allowed)
      // A shelf is no root, and a stamp cannot be created by anybody.
      let root = try await refusal { try await stage.create("shelf", by: Self.hanna) }
      #expect(root == Refusal(.failedPrecondition, "PARENT_NOT_ALLOWED"))
      let stamp = try await refusal {
        try await stage.create("stamp", under: library.id, by: Self.hanna)
      }
      #expect(stamp == Refusal(.permissionDenied, "ROLE_LACKS_ACTION"))
    }
  }

  @Test("An answer has what the reader's access level shows, names it, and leaves the rest out")
  func get_byLevel_isProjected() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf) = try await library(stage)
      let attributes: [String: Google_Protobuf.Value.KindOneOf] = [
        "genre": .stringValue("science"), "pages": .numberValue(320), "price": .numberValue(15),
        "damaged": .boolValue(true), "binding": .stringValue("cloth"),
      ]
      let made = try await stage.create(
        "book",
        under: shelf,
        name: "Atlas",
        attributes,
        by: Self.hanna
      )
      #expect(made.accessLevel == "staff" && made.attributes?.fields.count == 6)
      let levels = [
        (Self.hanna, "staff", ["binding", "damaged", "genre", "lendable", "pages", "price"]),
        (Self.carl, "member", ["binding", "genre", "lendable", "pages"]),
        (Self.rosa, "public", ["genre", "lendable", "pages"]),
      ]
      for (user, level, visible) in levels {
        let book = try await stage.entities.get(.init(entityId: made.id), options: .by(user))
        #expect(book.accessLevel == level, "\(user)")
        #expect(book.visibleAttributes == visible, "\(user)")
        #expect(book.attributes?.fields.keys.sorted() == visible, "\(user)")
        #expect(book.attributes?.fields["lendable"]?.kind == .boolValue(true), "the default")
        let listed = try await stage.entities.list(.init(type: "book"), options: .by(user))
        #expect(listed.entities == [book], "a list shows the same")
      }
    }
  }

  @Test("Nobody sets an attribute that their access level does not show, at creation or later")
  func set_hiddenAttribute_isRefused() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf) = try await library(stage)
      let created = try await refusal {
        try await stage.create("book", under: shelf, ["price": .numberValue(1)], by: Self.carl)
      }
      #expect(created == Refusal(.permissionDenied, "ATTRIBUTE_NOT_VISIBLE"))
      let book = try await stage.create(
        "book",
        under: shelf,
        ["price": .numberValue(15)],
        by: Self.hanna
      )
      for value in [Google_Protobuf.Value.KindOneOf.numberValue(1), .nullValue(.nullValue)] {
        let updated = try await refusal {
          try await stage.entities.update(
            .init(entityId: book.id, attributes: .init(fields: ["price": .init(kind: value)])),
            options: .by(Self.carl)
          )
        }
        #expect(updated == Refusal(.permissionDenied, "ATTRIBUTE_NOT_VISIBLE"))
      }
      let kept = try await stage.entities.get(.init(entityId: book.id), options: .by(Self.hanna))
      #expect(kept.attributes?.fields["price"]?.kind == .numberValue(15))
    }
  }

  @Test("An update changes what it names, removes nulls, and can insist on a revision")
  func update_fields_areMerged() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf) = try await library(stage)
      let book = try await stage.create(
        "book",
        under: shelf,
        name: "Atlas",
        ["pages": .numberValue(1), "binding": .stringValue("cloth")],
        by: Self.carl
      )
      let changed = try await stage.entities.update(
        .init(
          entityId: book.id,
          name: "World atlas",
          attributes: .init(fields: [
            "pages": .init(kind: .nullValue(.nullValue)),
            "genre": .init(kind: .stringValue("science")),
          ]),
          expectedRevision: book.revision
        ),
        options: .by(Self.carl)
      )
      #expect(changed.name == "World atlas" && changed.revision != book.revision)
      #expect(changed.attributes?.fields["pages"] == nil)
      #expect(changed.attributes?.fields["binding"]?.kind == .stringValue("cloth"))
      let stale = try await refusal {
        try await stage.entities.update(
          .init(entityId: book.id, name: "Late", expectedRevision: book.revision),
          options: .by(Self.carl)
        )
      }
      #expect(stale == Refusal(.aborted, "REVISION_MISMATCH"))
      let invalid: [(String, Google_Protobuf.Value.KindOneOf)] = [
        ("genre", .stringValue("poetry")), ("pages", .numberValue(0)),
        ("lendable", .numberValue(1)),
        (String(repeating: "n", count: 65), .boolValue(true)),
      ]
      for (name, value) in invalid {
        let refused = try await refusal {
          try await stage.entities.update(
            .init(entityId: book.id, attributes: .init(fields: [name: .init(kind: value)])),
            options: .by(Self.carl)
          )
        }
        #expect(refused == Refusal(.invalidArgument, "ATTRIBUTE_INVALID"), "\(name)")
      }
    }
  }

  @Test("A list is filtered, sorted either way, and complete over its pages")
  func list_filteredAndSorted_isComplete() async throws {
    try await ReadingRoom.run { stage in
      let (library, shelf) = try await library(stage)
      let other = try await stage.create("shelf", under: library, name: "West", by: Self.hanna).id
      for number in 0..<12 {
        _ = try await stage.create(
          "book",
          under: number.isMultiple(of: 3) ? other : shelf,
          name: "Book \(["c", "a", "b"][number % 3])\(number % 4)",
          [
            "genre": .stringValue(number.isMultiple(of: 2) ? "fiction" : "science"),
            "damaged": .boolValue(number < 5), "lendable": .boolValue(number != 7),
          ],
          by: Self.hanna
        )
      }
      let all = try await stage.entities.list(.init(type: "book"), options: .by(Self.rosa))
      #expect(all.totalSize == 12)
      let names = all.entities.map(\.name)
      #expect(names == names.sorted())
      for (sort, expected) in [("name", all.entities.map(\.id)), ("created_at", nil)] {
        var orders: [[String]] = []
        for descending in [false, true] {
          var (ids, token) = ([String](), "")
          repeat {
            let page = try await stage.entities.list(
              .init(
                type: "book",
                sortBy: sort,
                descending: descending,
                pageSize: 5,
                pageToken: token
              ),
              options: .by(Self.rosa)
            )
            #expect(page.totalSize == 12)
            ids += page.entities.map(\.id)
            token = page.nextPageToken
          } while !token.isEmpty
          orders.append(ids)
        }
        #expect(orders[0] == orders[1].reversed(), "\(sort)")
        #expect(Set(orders[0]).count == 12)
        if let expected { #expect(orders[0] == expected) }
      }
      let count = { (user: String, request: Tenancy_V1.ListEntitiesRequest) in
        try await stage.entities.list(request, options: .by(user)).totalSize
      }
      let fiction = Tenancy_V1.AttributeFilter(name: "genre", values: ["fiction"])
      #expect(try await count(Self.rosa, .init(type: "book", filters: [fiction])) == 6)
      let both = Tenancy_V1.AttributeFilter(name: "genre", values: ["fiction", "science"])
      #expect(try await count(Self.rosa, .init(type: "book", filters: [both])) == 12)
      let loose = Tenancy_V1.AttributeFilter(name: "lendable", values: ["true"])
      #expect(try await count(Self.rosa, .init(type: "book", filters: [both, loose])) == 11)
      #expect(try await count(Self.rosa, .init(type: "book", within: other)) == 4)
      #expect(try await count(Self.rosa, .init(type: "book", text: "bOOK a")) == 4)
      #expect(try await count(Self.rosa, .init(type: "book", parentId: other)) == 4)
      #expect(try await count(Self.rosa, .init(type: "book", parentId: library)) == 0)
      #expect(try await count(Self.rosa, .init(type: "library", parentId: "sys_root")) == 1)
      let foreign = try await refusal {
        try await count("usr_stranger", .init(type: "book", parentId: other))
      }
      #expect(foreign == Refusal(.notFound, "NOT_FOUND"))
      // Nobody finds books by what they cannot see of them.
      let damaged = Tenancy_V1.AttributeFilter(name: "damaged", values: ["true"])
      #expect(try await count(Self.hanna, .init(type: "book", filters: [damaged])) == 5)
      #expect(try await count(Self.rosa, .init(type: "book", filters: [damaged])) == 0)
      for filter in [
        Tenancy_V1.AttributeFilter(name: "pages", values: ["many"]),
        .init(name: "colour", values: ["red"]), .init(name: "genre", values: ["poetry"]),
        .init(name: "lendable", values: ["yes"]), .init(name: "genre"),
        .init(name: "genre", values: ["fiction"], prefix: "f"), .init(name: "pages"),
        .init(name: "pages", prefix: "1"), .init(name: "pages", atLeast: 2, atMost: 1),
      ] {
        let refused = try await refusal {
          try await count(Self.rosa, .init(type: "book", filters: [filter]))
        }
        #expect(refused == Refusal(.invalidArgument, "FILTER_INVALID"), "\(filter.name)")
      }
      let type = try await refusal { try await count(Self.rosa, .init(type: "movie")) }
      #expect(type == Refusal(.invalidArgument, "TYPE_UNKNOWN"))
      // No action views a stamp.
      #expect(try await count(Self.hanna, .init(type: "stamp")) == 0)
    }
  }

  @Test("A list is filtered by text and numbers, and complete over pages that may be empty")
  func list_filteredByTextAndNumbers_isComplete() async throws {
    let price = #""price": { "kind": "integer", "min": 0, "access": "staff" }"#
    let author = #""author": { "kind": "text", "max_bytes": 100, "access": "public" }"#
    #expect(ReadingRoom.policy.contains(price))
    let policy = ReadingRoom.policy.replacing(price, with: "\(price), \(author)")
    try await TenancyStage.run(policy: [UInt8](policy.utf8)) { stage in
      let (_, shelf) = try await library(stage)
      let authors = ["Austen", "Austin", "austen", "Woolf"]
      // More than one page looks at, so that what is at the end is on a later one.
      for batch in 0..<3 {
        _ = try await stage.entities.batchCreate(
          .init(
            entities: (0..<500).map { index in
              let number = batch * 500 + index
              var attributes = [
                "pages": Google_Protobuf.Value(kind: .numberValue(Double(number + 1)))
              ]
              if number.isMultiple(of: 300) {
                attributes["author"] = .init(kind: .stringValue(authors[number / 300 % 4]))
                attributes["price"] = .init(kind: .numberValue(5))
              }
              return .init(
                type: "book",
                parentId: shelf,
                name: "Book \(1000 + number)",
                attributes: .init(fields: attributes)
              )
            }
          ),
          options: .by(Self.hanna)
        )
      }
      func found(
        _ filters: [Tenancy_V1.AttributeFilter],
        by user: String = Self.rosa,
        pageSize: UInt32 = 0
      ) async throws -> [Int] {
        var (numbers, request) = ([Int](), Tenancy_V1.ListEntitiesRequest(type: "book"))
        (request.filters, request.pageSize) = (filters, pageSize)
        repeat {
          let page = try await stage.entities.list(request, options: .by(user))
          #expect(page.totalSize == nil)
          #expect(pageSize == 0 || page.entities.count <= Int(pageSize))
          numbers += page.entities.compactMap { Int($0.name.dropFirst(5)).map { $0 - 1000 } }
          request.pageToken = page.nextPageToken
        } while !request.pageToken.isEmpty
        return numbers
      }
      #expect(try await found([.init(name: "author", values: ["Austen"])]) == [0, 1200])
      #expect(try await found([.init(name: "author", values: ["Woolf", "austen"])]) == [600, 900])
      #expect(try await found([.init(name: "author", prefix: "Aust")]) == [0, 300, 1200])
      #expect(
        try await found([.init(name: "author", values: ["Austen"], prefix: "W")]) == []
      )
      #expect(try await found([.init(name: "pages", values: ["1201", "7"])]) == [6, 1200])
      #expect(try await found([.init(name: "pages", atLeast: 1499)]) == [1498, 1499])
      #expect(
        try await found([.init(name: "pages", atMost: 901), .init(name: "author", prefix: "A")])
          == [0, 300]
      )
      let middle = Tenancy_V1.AttributeFilter(name: "pages", atLeast: 101, atMost: 300)
      for size in [1, 7, 60] as [UInt32] {
        #expect(try await found([middle], pageSize: size) == Array(100..<300))
      }
      let loose = Tenancy_V1.AttributeFilter(name: "lendable", values: ["true"])
      #expect(try await found([loose, middle]) == Array(100..<300))
      for filter in [
        Tenancy_V1.AttributeFilter(name: "author"), .init(name: "author", atLeast: 1),
        .init(name: "author", values: ["Woolf"], atMost: 1),
      ] {
        #expect(
          try await refusal { try await found([filter]) }
            == Refusal(.invalidArgument, "FILTER_INVALID")
        )
      }
      // The price is for the staff.
      let price = Tenancy_V1.AttributeFilter(name: "price", atLeast: 1)
      #expect(try await found([price]) == [])
      #expect(try await found([price], by: Self.hanna) == [0, 300, 600, 900, 1200])
    }
  }

  @Test("A page token is good for the same list only")
  func list_tokenOfOtherList_isRefused() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf) = try await library(stage)
      for _ in 0..<3 { _ = try await stage.create("book", under: shelf, by: Self.hanna) }
      let request = Tenancy_V1.ListEntitiesRequest(type: "book", pageSize: 1)
      let token = try await stage.entities.list(request, options: .by(Self.hanna)).nextPageToken
      #expect(!token.isEmpty)
      var others = [request, request, request, request, request]
      others[0].type = "shelf"
      others[1].descending = true
      others[2].within = shelf
      others[3].filters = [.init(name: "lendable", values: ["true"])]
      others[4].filters = [.init(name: "pages", atLeast: 1)]
      for var other in others {
        other.pageToken = token
        let refused = try await refusal {
          try await stage.entities.list(other, options: .by(Self.hanna))
        }
        #expect(refused == Refusal(.invalidArgument, "PAGE_TOKEN_INVALID"))
      }
      var borrowed = request
      borrowed.pageToken = token
      let refused = try await refusal {
        try await stage.entities.list(borrowed, options: .by(Self.rosa))
      }
      #expect(refused == Refusal(.invalidArgument, "PAGE_TOKEN_INVALID"))
    }
  }

  @Test("A batch is created as a whole or not at all")
  func batchCreate_oneMistake_createsNothing() async throws {
    try await ReadingRoom.run { stage in
      let (library, shelf) = try await library(stage)
      let book = { (name: String) in
        Tenancy_V1.NewEntity(type: "book", parentId: shelf, name: name)
      }
      let foreign = try await stage.create("library", by: "usr_other").id
      let mistakes: [(Tenancy_V1.NewEntity, Refusal)] = [
        (.init(type: "movie", parentId: shelf, name: "x"), .init(.invalidArgument, "TYPE_UNKNOWN")),
        (.init(type: "shelf", parentId: foreign, name: "x"), .init(.notFound, "NOT_FOUND")),
        (
          .init(type: "book", parentId: library, name: "x"),
          .init(.failedPrecondition, "PARENT_NOT_ALLOWED")
        ),
      ]
      for (mistake, expected) in mistakes {
        let before = stage.service.database.revision
        let refused = try await refusal {
          try await stage.entities.batchCreate(
            .init(entities: [book("a"), mistake, book("b")]),
            options: .by(Self.hanna)
          )
        }
        #expect(refused == expected)
        #expect(stage.service.database.revision == before, "\(expected) left something")
      }
      let made = try await stage.entities.batchCreate(
        .init(entities: (0..<500).map { book("Book \($0)") }),
        options: .by(Self.hanna)
      )
      #expect(made.entityIds.count == 500)
      let last = try await stage.entities.get(
        .init(entityId: made.entityIds[499], atLeastRevision: made.revision),
        options: .by(Self.rosa)
      )
      #expect(last.name == "Book 499")
      let tooMany = try await refusal {
        try await stage.entities.batchCreate(
          .init(entities: (0..<501).map { book("Book \($0)") }),
          options: .by(Self.hanna)
        )
      }
      #expect(tooMany?.code == .invalidArgument)
    }
  }

  @Test("The same key gets the same entity, in whatever order its attributes come")
  func create_repeated_isOne() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf) = try await library(stage)
      var request = Tenancy_V1.CreateEntityRequest(
        entity: .init(
          type: "book",
          parentId: shelf,
          name: "Atlas",
          attributes: .init(fields: [
            "genre": .init(kind: .stringValue("rare")), "pages": .init(kind: .numberValue(3)),
            "lendable": .init(kind: .boolValue(false)),
          ])
        ),
        idempotencyKey: "once"
      )
      let first = try await stage.entities.create(request, options: .by(Self.hanna))
      for _ in 0..<5 {
        let again = try await stage.entities.create(request, options: .by(Self.hanna))
        #expect(again == first)
      }
      request.entity?.attributes?.fields["pages"] = .init(kind: .numberValue(4))
      let reused = try await refusal {
        try await stage.entities.create(request, options: .by(Self.hanna))
      }
      #expect(reused == Refusal(.alreadyExists, "IDEMPOTENCY_KEY_REUSED"))
      let books = try await stage.entities.list(.init(type: "book"), options: .by(Self.hanna))
      #expect(books.totalSize == 1)
    }
  }

  @Test("Deleting says what would go, refuses to orphan anything, and takes roles along")
  func delete_withContents_needsCascade() async throws {
    try await ReadingRoom.run { stage in
      let (library, shelf) = try await library(stage)
      let book = try await stage.create("book", under: shelf, by: Self.hanna).id
      try await stage.grant("borrower", on: book, to: "usr_ben", until: 3_600_000, by: Self.hanna)
      let revision = stage.service.database.revision
      let dry = try await stage.entities.delete(
        .init(entityId: library, dryRun: true),
        options: .by(Self.hanna)
      )
      #expect(dry.deleted.map(\.type) == ["book", "library", "shelf"])
      #expect(dry.deleted.map(\.count) == [1, 1, 1] && dry.endedRoleCount == 4)
      #expect(stage.service.database.revision == revision)
      let refused = try await refusal {
        try await stage.entities.delete(.init(entityId: library), options: .by(Self.hanna))
      }
      #expect(refused == Refusal(.failedPrecondition, "HAS_DEPENDENTS"))
      let done = try await stage.entities.delete(
        .init(entityId: library, cascade: true),
        options: .by(Self.hanna)
      )
      #expect(done.deleted == dry.deleted && done.endedRoleCount == 4)
      for id in [library, shelf, book] {
        let gone = try await refusal {
          try await stage.entities.get(.init(entityId: id), options: .by(Self.hanna))
        }
        #expect(gone == Refusal(.notFound, "NOT_FOUND"))
      }
      #expect(try await stage.roles.listByUser(.init(), options: .by("usr_ben")).associations == [])
    }
  }

  @Test("Each change leaves one audit record, and what changes nothing leaves none")
  func changes_ofEveryKind_areAudited() async throws {
    try await ReadingRoom.run { stage in
      let (library, shelf) = try await library(stage)
      let other = try await stage.create("shelf", under: library, by: Self.hanna).id
      let book = try await stage.create("book", under: shelf, by: Self.carl).id
      let options = CallOptions.by(Self.hanna)
      for name in ["Atlas", "Atlas"] {
        _ = try await stage.entities.update(.init(entityId: book, name: name), options: options)
      }
      for _ in 0..<2 {
        _ = try await stage.entities.move(.init(entityId: book, parentId: other), options: options)
      }
      _ = try await stage.entities.delete(.init(entityId: book, dryRun: true), options: options)
      _ = try await stage.entities.delete(.init(entityId: book), options: options)
      let records = try await stage.service.database.read { tx in
        try tx.query(
          "SELECT action, actor FROM audit_log WHERE object = ? ORDER BY sequence",
          .text(book)
        ) { "\($0.text(0)) \($0.text(1))" }
      }
      #expect(
        records == [
          "book.create user:usr_carl", "book.update user:usr_hanna", "book.move user:usr_hanna",
          "book.delete user:usr_hanna",
        ]
      )
    }
  }
}
