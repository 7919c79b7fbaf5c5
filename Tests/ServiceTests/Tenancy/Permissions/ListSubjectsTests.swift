import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

@Suite("Who may do an action to an entity")
struct ListSubjectsTests {
  private static let hanna = "usr_hanna"
  private static let service = CallOptions.byService("entitlement")

  /// Everybody on all pages, and how many pages there were.
  private func everybody(
    _ action: String,
    on id: String,
    pageSize: UInt32 = 2,
    _ options: CallOptions,
    _ stage: TenancyStage
  ) async throws -> (subjects: [Tenancy_V1.AllowedSubject], pageCount: Int) {
    var request = Tenancy_V1.ListSubjectsRequest(entityId: id, action: action, pageSize: pageSize)
    var (subjects, pageCount) = ([Tenancy_V1.AllowedSubject](), 0)
    repeat {
      let page = try await stage.permissions.listSubjects(request, options: options)
      #expect(page.subjects.count <= Int(pageSize))
      subjects += page.subjects
      pageCount += 1
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    return (subjects, pageCount)
  }

  @Test(
    "Of random forests the pages have exactly the users whom single checks allow",
    arguments: 1...3
  )
  func listSubjects_randomForest_equalsChecks(seed: Int) async throws {
    try await TenancyStage.run { stage in
      let forest = try await StoredForest(stage, seed: UInt64(seed))
      let image = try await forest.image()
      let policy = stage.service.engine.policy
      let users = StoredForest.userIDs + ["usr_super", "usr_nobody"]
      let suspended = StoredForest.userIDs[seed]
      _ = try await stage.subjects.suspend(.init(userId: suspended), options: .by("usr_super"))
      var allowedCount = 0
      for (id, entity) in image.entities {
        for action in policy.actions where action.hasPrefix("\(entity.type).") {
          let checks = users.map {
            Tenancy_V1.CheckRequest(subjectId: $0, action: action, entityId: id)
          }
          let decisions = try await stage.permissions.batchCheck(
            .init(checks: checks),
            options: Self.service
          ).decisions
          let (found, _) = try await everybody(action, on: id, Self.service, stage)
          #expect(Set(found.map(\.userId)).count == found.count, "\(action) \(id): twice")
          for (user, decision) in zip(users, decisions) {
            let one = found.first { $0.userId == user }
            #expect((one != nil) == decision.allowed, "\(user) \(action) \(id)")
            guard let one, decision.allowed else { continue }
            allowedCount += 1
            #expect(one.role == decision.role && one.validUntil == decision.validUntil)
            #expect(one.association?.id == decision.associationId)
            #expect(one.association?.entityId == decision.viaEntityId)
          }
        }
      }
      #expect(allowedCount > 1_000, "a comparison of little says little")
    }
  }

  /// A library of Hanna's with a librarian, who has a shelf with a reader and a book.
  private func furnish(
    _ stage: TenancyStage
  ) async throws -> (library: String, shelf: String, book: String) {
    let library = try await stage.create("library", by: Self.hanna).id
    let shelf = try await stage.create("shelf", under: library, by: Self.hanna).id
    let book = try await stage.create("book", under: shelf, by: Self.hanna).id
    try await stage.grant("librarian", on: shelf, to: "usr_lena", by: Self.hanna)
    try await stage.grant("reader", on: shelf, to: "usr_rosa", by: "usr_lena")
    _ = try await stage.associations.grantSuperAdmin(
      .init(userId: "usr_super"),
      options: .byService("auth")
    )
    return (library, shelf, book)
  }

  @Test("While an entity is moved, those who may see it before and after are listed")
  func listSubjects_whileMoved_lacksNobody() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, book) = try await furnish(stage)
      let library = try await stage.create("library", by: Self.hanna).id
      let other = try await stage.create("shelf", under: library, by: Self.hanna).id
      async let moves: Void = {
        for count in 0..<100 {
          _ = try await stage.entities.move(
            .init(entityId: book, parentId: count % 2 == 0 ? other : shelf),
            options: .by(Self.hanna)
          )
        }
      }()
      for _ in 0..<300 {
        let page = try await stage.permissions.listSubjects(
          .init(entityId: book, action: "book.view"),
          options: .by(Self.hanna)
        )
        #expect(page.subjects.first?.userId == Self.hanna)
      }
      try await moves
    }
  }

  @Test("A list is as of its revision, neither older nor newer, whatever changes at the time")
  func listSubjects_whileChanged_isOfItsRevision() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, book) = try await furnish(stage)
      let library = try await stage.create("library", by: Self.hanna).id
      let other = try await stage.create("shelf", under: library, by: Self.hanna).id
      let tokens = stage.service.core.tokens
      let moving = Task {
        var moves: [(revision: Int64, isOnShelf: Bool)] = []
        for count in 0..<150 {
          let moved = try await stage.entities.move(
            .init(entityId: book, parentId: count % 2 == 0 ? other : shelf),
            options: .by(Self.hanna)
          )
          moves.append((try tokens.revision(token: moved.revision), count % 2 != 0))
        }
        return moves
      }
      var lists: [(revision: Int64, isOnShelf: Bool)] = []
      for _ in 0..<400 {
        let page = try await stage.permissions.listSubjects(
          .init(entityId: book, action: "book.view"),
          options: .by(Self.hanna)
        )
        lists.append((try tokens.revision(token: page.revision), page.subjects.count > 1))
      }
      let moves = try await moving.value
      for list in lists {
        let last = moves.last { $0.revision <= list.revision }
        #expect(list.isOnShelf == last?.isOnShelf ?? true, "\(list)")
      }
      #expect(Set(lists.map(\.isOnShelf)).count == 2)
    }
  }

  @Test("A user is told associations only where it may list roles, and never who the operators are")
  func listSubjects_byUser_showsWhatItMayKnow() async throws {
    try await ReadingRoom.run { stage in
      let (library, shelf, book) = try await furnish(stage)
      let lenas = try await stage.permissions.listSubjects(
        .init(entityId: book, action: "book.view"),
        options: .by("usr_lena")
      )
      #expect(lenas.subjects.map(\.userId) == [Self.hanna, "usr_lena", "usr_rosa"])
      #expect(lenas.subjects.map(\.role) == ["head_librarian", "librarian", "reader"])
      // Of the library she may not know, so of Hanna's role there neither.
      #expect(lenas.subjects.map { $0.association?.entityId } == [nil, shelf, shelf])
      #expect(lenas.operatorsOmitted)
      let hannas = try await stage.permissions.listSubjects(
        .init(entityId: book, action: "book.view"),
        options: .by(Self.hanna)
      )
      #expect(hannas.subjects.map { $0.association?.entityId } == [library, shelf, shelf])
      let all = try await stage.permissions.listSubjects(
        .init(entityId: book, action: "book.view"),
        options: Self.service
      )
      #expect(all.subjects.map(\.userId) == [Self.hanna, "usr_lena", "usr_rosa", "usr_super"])
      #expect(!all.operatorsOmitted)
    }
  }

  @Test("Whoever may not list roles is refused, and foreign objects are unknown ones")
  func listSubjects_byOthers_isRefused() async throws {
    try await ReadingRoom.run { stage in
      let (_, _, book) = try await furnish(stage)
      let list = { (user: String, id: String, action: String) in
        try await refusal {
          try await stage.permissions.listSubjects(
            .init(entityId: id, action: action),
            options: .by(user)
          )
        }
      }
      #expect(
        try await list("usr_rosa", book, "book.view")
          == Refusal(.permissionDenied, "ROLE_LACKS_ACTION")
      )
      let unknown = Refusal(.notFound, "NOT_FOUND")
      for id in [book, "bok_unknown", "sys_root"] {
        #expect(try await list("usr_stranger", id, "book.view") == unknown)
      }
      #expect(try await list("usr_super", "sys_root", "system.administer") == unknown)
      #expect(
        try await list("usr_stranger", "bok_unknown", "book.burn")
          == Refusal(.invalidArgument, "ACTION_UNKNOWN")
      )
      let missing = try await refusal {
        try await stage.permissions.listSubjects(
          .init(entityId: "bok_unknown", action: "book.view"),
          options: Self.service
        )
      }
      #expect(missing == unknown)
      // An action of another type is nobody's.
      let none = try await stage.permissions.listSubjects(
        .init(entityId: book, action: "shelf.view"),
        options: .by(Self.hanna)
      )
      #expect(none.subjects.isEmpty && none.nextPageToken.isEmpty)
    }
  }

  @Test("Windows, conditions and suspensions count, and answers end with the next of them")
  func listSubjects_whatEnds_isLeftOut() async throws {
    try await ReadingRoom.run { stage in
      let (_, _, book) = try await furnish(stage)
      try await stage.grant("borrower", on: book, to: "usr_ben", until: 60_000, by: Self.hanna)
      try await stage.grant(
        "borrower",
        on: book,
        to: "usr_eve",
        from: 60_000,
        until: 90_000,
        by: Self.hanna
      )
      let list = {
        try await stage.permissions.listSubjects(
          .init(entityId: book, action: "book.read"),
          options: .by(Self.hanna)
        ).subjects
      }
      var subjects = try await list()
      #expect(subjects.map(\.userId) == [Self.hanna, "usr_lena", "usr_ben"])
      let end = Google_Protobuf.Timestamp(milliseconds: TenancyStage.start + 60_000)
      #expect(subjects.last?.validUntil == end && subjects.last?.association?.validUntil == end)
      _ = try await stage.subjects.suspend(
        .init(userId: "usr_lena"),
        options: .by("usr_super")
      )
      stage.clock.advance(60_000)
      subjects = try await list()
      #expect(subjects.map(\.userId) == [Self.hanna, "usr_eve"])
      _ = try await stage.entities.update(
        .init(
          entityId: book,
          attributes: .init(fields: ["lendable": .init(kind: .boolValue(false))])
        ),
        options: .by(Self.hanna)
      )
      #expect(try await list().isEmpty)
    }
  }

  @Test("One page looks at a bounded number of associations, and the pages are complete even so")
  func listSubjects_manyWhoMayNot_staysBounded() async throws {
    try await ReadingRoom.run { stage in
      let (library, _, book) = try await furnish(stage)
      for batch in 0..<3 {
        let readers = (0..<500).map {
          Tenancy_V1.NewRole(entityId: library, role: "reader", userId: "usr_reader\(batch)_\($0)")
        }
        _ = try await stage.roles.batchGrant(.init(roles: readers), options: .by(Self.hanna))
      }
      try await stage.grant("librarian", on: library, to: "usr_last", by: Self.hanna)
      let (found, pageCount) = try await everybody("book.read", on: book, .by(Self.hanna), stage)
      #expect(found.map(\.userId) == [Self.hanna, "usr_lena", "usr_last"])
      // 1,504 associations at 1,000 a page, and a full page before them.
      #expect(pageCount >= 3)
      let (readers, _) = try await everybody(
        "book.view",
        on: book,
        pageSize: 700,
        .by(Self.hanna),
        stage
      )
      #expect(readers.count == 1_504)
      // A token is good for the same question only.
      let token = try await stage.permissions.listSubjects(
        .init(entityId: book, action: "book.view", pageSize: 1),
        options: .by(Self.hanna)
      ).nextPageToken
      let other = try await refusal {
        try await stage.permissions.listSubjects(
          .init(entityId: book, action: "book.read", pageSize: 1, pageToken: token),
          options: .by(Self.hanna)
        )
      }
      #expect(other == Refusal(.invalidArgument, "PAGE_TOKEN_INVALID"))
    }
  }
}
