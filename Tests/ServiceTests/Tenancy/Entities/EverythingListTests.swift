import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import TenancyContracts
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

/// Lists of operators, whose roles reach everything: read from the store, with few trees in memory.
@Suite
struct EverythingListTests {
  private static let user = "usr_super"
  private static let libraryCount = 24
  /// Room for few of the libraries.
  private static let byteCountMax = 8000

  /// The books of all libraries, in the order in which they were made.
  private struct Books: Sendable {
    var made: [Tenancy_V1.Entity] = []
    var libraries: [String] = []
  }

  /// Runs `body` with libraries of two books each, none of them in memory.
  private static func run(
    treeByteCountMax: Int = .max,
    _ body: (TenancyStage, Books) async throws -> Void
  ) async throws {
    let folder = try TestFolder()
    let policy = [UInt8](ReadingRoom.policy.utf8)
    var made = Books()
    try await TenancyStage.run(policy: policy, in: folder) { stage in
      try await stage.makeOperator(user)
      for number in 0..<libraryCount {
        let library = try await stage.create("library", by: "usr_hanna").id
        let shelf = try await stage.create("shelf", under: library, by: "usr_hanna").id
        for (place, name) in ["Ättika \(number % 3)", "b\(number % 5)"].enumerated() {
          let attributes: [String: Google_Protobuf.Value.KindOneOf] = [
            "genre": .stringValue(number % 4 == 0 ? "rare" : "fiction"),
            "lendable": .boolValue((number + place) % 3 != 0),
            "pages": .numberValue(Double(1 + number * 7 % 20)),
          ]
          let book = try await stage.create(
            "book",
            under: shelf,
            name: name,
            attributes,
            by: "usr_hanna"
          )
          made.made.append(book)
        }
        made.libraries.append(library)
        stage.clock.advance(1)
      }
    }
    let books = made
    try await TenancyStage.run(policy: policy, in: folder, treeByteCountMax: treeByteCountMax) {
      try await body($0, books)
    }
  }

  /// All pages of a list, and how many entities each page says there are.
  private static func listed(
    _ request: Tenancy_V1.ListEntitiesRequest,
    _ stage: TenancyStage
  ) async throws -> (entities: [Tenancy_V1.Entity], totals: Set<UInt64?>) {
    var (request, entities, totals) = (request, [Tenancy_V1.Entity](), Set<UInt64?>())
    repeat {
      let page = try await stage.entities.list(request, options: .by(user))
      #expect(page.entities.count <= Int(request.pageSize))
      entities += page.entities
      totals.insert(page.totalSize)
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    return (entities, totals)
  }

  @Test(
    "Pages have everything once, in order, and count it",
    arguments: ["name", "-name", "created_at", "-created_at"],
    [UInt32(5), 48]
  )
  func list_isComplete(_ order: String, size: UInt32) async throws {
    try await Self.run(treeByteCountMax: Self.byteCountMax) { stage, books in
      func isOrdered(_ left: Tenancy_V1.Entity, _ right: Tenancy_V1.Entity) -> Bool {
        let (left, right) = order.hasPrefix("-") ? (right, left) : (left, right)
        if order.hasSuffix("name"), left.name != right.name { return left.name < right.name }
        return left.id < right.id
      }
      for text in ["", "B1"] {
        var request = Tenancy_V1.ListEntitiesRequest(type: "book", text: text)
        (request.sortBy, request.pageSize) = (order, size)
        let (found, totals) = try await Self.listed(request, stage)
        let expected = books.made.filter { text.isEmpty || $0.name == "b1" }.sorted(by: isOrdered)
        #expect(found.map(\.id) == expected.map(\.id))
        #expect(totals == [UInt64(expected.count)])
      }
      #expect(stage.service.engine.memory.byteCount <= Self.byteCountMax)
    }
  }

  @Test("A page loads the trees that it shows, and no other")
  func page_loadsItsTreesAlone() async throws {
    try await Self.run { stage, books in
      let page = try await stage.entities.list(
        .init(type: "book", sortBy: "created_at", pageSize: 3),
        options: .by(Self.user)
      )
      #expect(page.entities.map(\.id) == Array(books.made.map(\.id).sorted().prefix(3)))
      #expect(page.totalSize == UInt64(books.made.count))
      #expect(Set(stage.service.engine.peek { $0.heldRoots }) == Set(books.libraries.prefix(2)))
    }
  }

  @Test("Roots and children are found by their parent")
  func list_byParent_isNarrowed() async throws {
    try await Self.run { stage, books in
      let shelf = try #require(books.made.first).parentId
      for (type, parent, count) in [
        ("library", Forest.systemIdentifier, Self.libraryCount), ("book", shelf, 2),
        ("book", Forest.systemIdentifier, 0),
      ] {
        var request = Tenancy_V1.ListEntitiesRequest(type: type, parentId: parent)
        request.pageSize = 10
        let (found, totals) = try await Self.listed(request, stage)
        #expect(Set(found.map(\.id)).count == count && totals == [UInt64(count)])
        #expect(found.allSatisfy { $0.parentId == parent })
      }
    }
  }

  @Test("Filters by flags and choices narrow it, and what is above it in a tree counts")
  func list_filtered_isNarrowed() async throws {
    try await Self.run(treeByteCountMax: Self.byteCountMax) { stage, books in
      var request = Tenancy_V1.ListEntitiesRequest(
        type: "book",
        filters: [
          .init(name: "genre", values: ["rare"]), .init(name: "lendable", values: ["true"]),
        ]
      )
      request.pageSize = 2
      let (found, totals) = try await Self.listed(request, stage)
      let expected = books.made.filter { book in
        book.attributes?.fields["genre"]?.kind == .stringValue("rare")
          && book.attributes?.fields["lendable"]?.kind == .boolValue(true)
      }
      #expect(!expected.isEmpty && Set(found.map(\.id)) == Set(expected.map(\.id)))
      #expect(totals == [UInt64(expected.count)])
      #expect(stage.service.engine.memory.byteCount <= Self.byteCountMax)
    }
  }

  @Test(
    "All that an operator may do comes page by page, with few trees in memory",
    arguments: [UInt32(5), 0]
  )
  func fetch_isComplete(pageSize: UInt32) async throws {
    try await Self.run(treeByteCountMax: Self.byteCountMax) { stage, books in
      var request = Tenancy_V1.FetchPermissionsRequest(
        entityId: Forest.systemIdentifier,
        pageSize: pageSize
      )
      var (found, actions): ([String], [String: [String]]) = ([], [:])
      repeat {
        let page = try await stage.permissions.fetch(request, options: .by(Self.user))
        #expect(pageSize == 0 || page.entities.count <= Int(pageSize))
        #expect(stage.service.engine.memory.byteCount <= Self.byteCountMax)
        for entity in page.entities {
          found.append(entity.entityId)
          actions[entity.entityId] = page.sets[Int(entity.set)].actions
        }
        request.pageToken = page.nextPageToken
      } while !request.pageToken.isEmpty
      // The system, libraries, their shelves and books, each once.
      #expect(found.count == 1 + 4 * Self.libraryCount && Set(found).count == found.count)
      let known = books.libraries + books.made.map(\.id)
      #expect(Set(known).isSubset(of: found))
      for part in [known.prefix(20), known.suffix(20)] {
        let listed = try await stage.permissions.listActions(
          .init(subjectId: Self.user, entityIds: Array(part)),
          options: .byService("gateway")
        )
        for entity in listed.entities { #expect(actions[entity.entityId] == entity.actions) }
      }
    }
  }

  @Test("By an attribute it is sorted as a whole, unless it is too long for that")
  func list_byAttribute_isSorted() async throws {
    try await Self.run(treeByteCountMax: Self.byteCountMax) { stage, books in
      var request = Tenancy_V1.ListEntitiesRequest(type: "book")
      (request.sortBy, request.pageSize) = ("pages", 9)
      let (found, _) = try await Self.listed(request, stage)
      func pages(_ book: Tenancy_V1.Entity) -> Double {
        guard case .numberValue(let number) = book.attributes?.fields["pages"]?.kind else {
          return 0
        }
        return number
      }
      #expect(found.map(pages) == books.made.map(pages).sorted())
      #expect(Set(found.map(\.id)) == Set(books.made.map(\.id)))
      let core = stage.service.core
      let everything = try await core.everything(
        EntityList(action: "book.view", type: "book"),
        subject: Self.user,
        assurance: nil
      )
      let count = books.made.count
      #expect(try await everything?.identifiers(atMost: count, core)?.count == count)
      #expect(try await everything?.identifiers(atMost: count - 1, core) == nil)
    }
  }

  @Test("Where a rule looks at each entity, what it denies is not in the list")
  func list_withConditions_decidesOnEach() async throws {
    try await Self.run(treeByteCountMax: Self.byteCountMax) { stage, books in
      var request = Tenancy_V1.ListAccessibleRequest(
        subjectId: Self.user,
        action: "book.read",
        entityType: "book"
      )
      request.pageSize = 7
      var found: [String] = []
      repeat {
        let page = try await stage.permissions.listAccessible(
          request,
          options: .byService("gateway")
        )
        found += page.entityIds
        request.pageToken = page.nextPageToken
      } while !request.pageToken.isEmpty
      let lendable = books.made.filter {
        $0.attributes?.fields["lendable"]?.kind == .boolValue(true)
      }
      #expect(found == lendable.map(\.id).sorted() && found.count < books.made.count)
      #expect(stage.service.engine.memory.byteCount <= Self.byteCountMax)
    }
  }

  @Test("A suspended operator sees nothing")
  func list_ofSuspended_isEmpty() async throws {
    try await Self.run { stage, _ in
      let request = Tenancy_V1.ListAccessibleRequest(
        subjectId: Self.user,
        action: "book.view",
        entityType: "book"
      )
      let options = CallOptions.byService("gateway")
      #expect(try await stage.permissions.listAccessible(request, options: options).entityIds != [])
      try await stage.makeOperator("usr_root")
      _ = try await stage.subjects.suspend(.init(userId: Self.user), options: .by("usr_root"))
      #expect(try await stage.permissions.listAccessible(request, options: options).entityIds == [])
    }
  }
}
