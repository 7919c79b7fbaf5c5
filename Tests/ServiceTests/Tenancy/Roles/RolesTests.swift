import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Roles of a product that only its policy knows")
struct RolesTests {
  private static let hanna = "usr_hanna"

  /// A library of Hanna's with one book on one shelf.
  private func book(
    _ stage: TenancyStage
  ) async throws -> (library: String, shelf: String, book: String) {
    let library = try await stage.create("library", by: Self.hanna).id
    let shelf = try await stage.create("shelf", under: library, by: Self.hanna).id
    return (library, shelf, try await stage.create("book", under: shelf, by: Self.hanna).id)
  }

  private func revoke(
    _ role: String,
    on id: String,
    from user: String,
    by caller: String = hanna,
    _ stage: TenancyStage
  ) async throws -> UInt32 {
    try await stage.roles.revoke(
      .init(entityId: id, role: role, userId: user),
      options: .by(caller)
    ).removed
  }

  @Test("A role that is granted works, and one that is revoked works no longer")
  func grant_thenRevoke_changesDecisions() async throws {
    try await ReadingRoom.run { stage in
      let (library, shelf, book) = try await book(stage)
      #expect(try await stage.reason("usr_rosa", "book.view", book) == .entityUnknown)
      let granted = try await stage.grant("reader", on: shelf, to: "usr_rosa", by: Self.hanna)
      #expect(granted.grantedBy == Self.hanna && granted.entityType == "shelf")
      let again = try await stage.grant("reader", on: shelf, to: "usr_rosa", by: Self.hanna)
      #expect(again == granted, "the same once more")
      #expect(try await stage.reason("usr_rosa", "book.view", book) == .allowed)
      #expect(try await stage.reason("usr_rosa", "library.view", library) == .entityUnknown)
      #expect(try await revoke("reader", on: shelf, from: "usr_rosa", stage) == 1)
      #expect(try await revoke("reader", on: shelf, from: "usr_rosa", stage) == 0)
      #expect(try await stage.reason("usr_rosa", "book.view", book) == .entityUnknown)
    }
  }

  @Test("Who may grant and revoke is what the policy says, and nothing else")
  func grant_byLesserRole_isRefused() async throws {
    try await ReadingRoom.run { stage in
      let (library, _, book) = try await book(stage)
      try await stage.grant("librarian", on: library, to: "usr_lena", by: Self.hanna)
      try await stage.grant("reader", on: library, to: "usr_rosa", by: "usr_lena")
      let lacks = Refusal(.permissionDenied, "ROLE_LACKS_ACTION")
      for role in ["head_librarian", "librarian", "cataloguer"] {
        let granted = try await refusal {
          try await stage.grant(role, on: library, to: "usr_lena", by: "usr_lena")
        }
        #expect(granted == lacks, "\(role)")
        let revoked = try await refusal {
          try await revoke(role, on: library, from: Self.hanna, by: "usr_lena", stage)
        }
        #expect(revoked == lacks, "\(role)")
      }
      let reader = try await refusal {
        try await stage.grant("reader", on: library, to: "usr_new", by: "usr_rosa")
      }
      #expect(reader == lacks)
      // What cannot be held there, what there is not, and who administers everything.
      let misplaced = try await refusal {
        try await stage.grant("cataloguer", on: book, to: "usr_new", by: Self.hanna)
      }
      #expect(misplaced == Refusal(.invalidArgument, "ROLE_NOT_ON_TYPE"))
      let unknown = try await refusal {
        try await stage.grant("king", on: library, to: "usr_new", by: Self.hanna)
      }
      #expect(unknown == Refusal(.invalidArgument, "ROLE_UNKNOWN"))
      let almighty = try await refusal {
        try await stage.grant("super_admin", on: "sys_root", to: Self.hanna, by: Self.hanna)
      }
      #expect(almighty == Refusal(.notFound, "NOT_FOUND"))
      let nobody = try await refusal {
        try await stage.grant("reader", on: library, to: "usr_missing", by: Self.hanna)
      }
      #expect(nobody == Refusal(.invalidArgument, "USER_UNKNOWN"))
      // Whoever may not grant does not learn who has an account.
      let asking = try await refusal {
        try await stage.grant("reader", on: library, to: "usr_missing", by: "usr_rosa")
      }
      #expect(asking == lacks)
    }
  }

  @Test("Leaving a role that there is not is refused as revoking it is")
  func leave_unknownRole_isRefused() async throws {
    try await ReadingRoom.run { stage in
      let library = try await stage.create("library", by: Self.hanna).id
      for (role, id) in [("READER", library), ("nonsense", library), ("nonsense", "lib_none")] {
        let left = try await refusal {
          try await stage.roles.leave(.init(entityId: id, role: role), options: .by(Self.hanna))
        }
        #expect(left == Refusal(.invalidArgument, "ROLE_UNKNOWN"), "\(role) \(id)")
      }
      for (role, id) in [("reader", library), ("", "lib_none"), ("reader", "lib_none")] {
        let left = try await stage.roles.leave(
          .init(entityId: id, role: role),
          options: .by(Self.hanna)
        )
        #expect(left.removed == 0)
      }
    }
  }

  @Test("Windows are checked, and count from their beginning to their end")
  func grant_withWindow_countsInside() async throws {
    try await ReadingRoom.run { stage in
      let (library, _, book) = try await book(stage)
      let day: Int64 = 86_400_000
      let cases: [(from: Int64?, until: Int64?, Refusal)] = [
        (nil, nil, .init(.invalidArgument, "WINDOW_REQUIRED")),
        (0, nil, .init(.invalidArgument, "WINDOW_REQUIRED")),
        (nil, 0, .init(.invalidArgument, "WINDOW_INVALID")),
        (2 * day, day, .init(.invalidArgument, "WINDOW_INVALID")),
        (-2 * day, -day, .init(.invalidArgument, "WINDOW_INVALID")),
        (nil, 31 * day, .init(.invalidArgument, "WINDOW_TOO_LONG")),
      ]
      for (from, until, expected) in cases {
        let refused = try await refusal {
          try await stage.grant(
            "borrower",
            on: book,
            to: "usr_ben",
            from: from,
            until: until,
            by: Self.hanna
          )
        }
        #expect(refused == expected, "\(String(describing: from)) \(String(describing: until))")
      }
      let pass = try await stage.grant(
        "borrower",
        on: book,
        to: "usr_ben",
        from: day,
        until: 2 * day,
        by: Self.hanna
      )
      #expect(pass.validFrom == .init(milliseconds: TenancyStage.start + day))
      try await stage.grant("reader", on: library, to: "usr_rosa", until: day, by: Self.hanna)
      let list = { (inForce: Bool) in
        let onBook = try await stage.roles.listByEntity(
          .init(entityId: book, inForce: inForce),
          options: .by(Self.hanna)
        ).associations
        let rosas = try await stage.roles.listByUser(
          .init(inForce: inForce),
          options: .by("usr_rosa")
        ).associations
        return onBook.count * 10 + rosas.count
      }
      #expect(try await list(false) == 11)
      #expect(try await list(true) == 1)
      #expect(try await stage.reason("usr_ben", "book.read", book) == .notYetValid)
      stage.clock.advance(day)
      #expect(try await list(true) == 10)
      #expect(try await stage.reason("usr_ben", "book.read", book) == .allowed)
      stage.clock.advance(day)
      #expect(try await list(true) == 0)
      #expect(try await list(false) == 11)
      #expect(try await stage.reason("usr_ben", "book.read", book) == .expired)
    }
  }

  @Test("What is lent ends with the right of the lender, and never outlasts it")
  func grant_lentRole_followsLender() async throws {
    try await ReadingRoom.run { stage in
      let (library, _, book) = try await book(stage)
      let hour: Int64 = 3_600_000
      try await stage.grant(
        "librarian",
        on: library,
        to: "usr_lena",
        until: 5 * hour,
        by: Self.hanna
      )
      let beyond = try await refusal {
        try await stage.grant("borrower", on: book, to: "usr_ben", until: 6 * hour, by: "usr_lena")
      }
      #expect(beyond == Refusal(.failedPrecondition, "WINDOW_EXCEEDS_OWN"))
      try await stage.grant("borrower", on: book, to: "usr_ben", until: 4 * hour, by: "usr_lena")
      try await stage.grant("borrower", on: book, to: "usr_eve", until: 4 * hour, by: Self.hanna)
      #expect(try await stage.reason("usr_ben", "book.read", book) == .allowed)
      #expect(try await revoke("librarian", on: library, from: "usr_lena", stage) == 1)
      #expect(try await stage.reason("usr_ben", "book.read", book) == .entityUnknown)
      #expect(try await stage.reason("usr_eve", "book.read", book) == .allowed)
    }
  }

  @Test(
    "A lent role that the policy lets outlive its lender does, and is bound by no window of theirs"
  )
  func grant_outlivingRole_staysWithoutLender() async throws {
    var policy = ReadingRoom.policy
    policy.replace("\"lent\": true", with: "\"lent\": true, \"outlives_lender\": true")
    try await TenancyStage.run(policy: [UInt8](policy.utf8)) { stage in
      let (library, _, book) = try await book(stage)
      let hour: Int64 = 3_600_000
      try await stage.grant("librarian", on: library, to: "usr_lena", until: hour, by: Self.hanna)
      try await stage.grant("borrower", on: book, to: "usr_ben", until: 2 * hour, by: "usr_lena")
      #expect(try await revoke("librarian", on: library, from: "usr_lena", stage) == 1)
      #expect(try await stage.reason("usr_ben", "book.read", book) == .allowed)
    }
  }

  @Test("Users give their own roles back, but a library keeps a head")
  func leave_ownRoles_unlessLast() async throws {
    try await ReadingRoom.run { stage in
      let (library, _, book) = try await book(stage)
      try await stage.grant("reader", on: library, to: "usr_rosa", by: Self.hanna)
      try await stage.grant("borrower", on: book, to: "usr_rosa", until: 60_000, by: Self.hanna)
      let leave = { (id: String, role: String, user: String) in
        try await stage.roles.leave(.init(entityId: id, role: role), options: .by(user)).removed
      }
      #expect(try await leave(book, "borrower", "usr_rosa") == 1)
      #expect(try await leave(book, "borrower", "usr_rosa") == 0)
      #expect(try await leave(library, "", "usr_rosa") == 1)
      #expect(try await stage.reason("usr_rosa", "book.view", book) == .entityUnknown)
      for role in ["", "head_librarian"] {
        let last = try await refusal { try await leave(library, role, Self.hanna) }
        #expect(last == Refusal(.failedPrecondition, "LAST_HEAD_LIBRARIAN"))
      }
      try await stage.grant("head_librarian", on: library, to: "usr_next", by: Self.hanna)
      #expect(try await leave(library, "", Self.hanna) == 1)
      let next = try await refusal {
        try await revoke("head_librarian", on: library, from: "usr_next", by: "usr_next", stage)
      }
      #expect(next == Refusal(.failedPrecondition, "LAST_HEAD_LIBRARIAN"))
      // Where somebody holds nothing, and where there is nothing, look alike.
      for id in [library, "lib_unknown", "sys_root"] {
        #expect(try await leave(id, "", "usr_stranger") == 0)
      }
    }
  }

  @Test("A batch of roles is granted as a whole or not at all, and each is audited")
  func batchGrant_oneMistake_grantsNothing() async throws {
    try await ReadingRoom.run { stage in
      let (library, _, book) = try await book(stage)
      let foreign = try await stage.create("library", by: "usr_other").id
      let reader = { (id: String, user: String) in
        Tenancy_V1.NewRole(entityId: id, role: "reader", userId: user)
      }
      let mistakes: [(Tenancy_V1.NewRole, Refusal)] = [
        (reader(foreign, "usr_b"), .init(.notFound, "NOT_FOUND")),
        (reader(book, "usr_b"), .init(.invalidArgument, "ROLE_NOT_ON_TYPE")),
        (reader(library, "usr_missing"), .init(.invalidArgument, "USER_UNKNOWN")),
        (
          .init(entityId: book, role: "borrower", userId: "usr_b"),
          .init(.invalidArgument, "WINDOW_REQUIRED")
        ),
      ]
      for (mistake, expected) in mistakes {
        let before = stage.service.database.revision
        let refused = try await refusal {
          try await stage.roles.batchGrant(
            .init(roles: [reader(library, "usr_a"), mistake]),
            options: .by(Self.hanna)
          )
        }
        #expect(refused == expected)
        #expect(stage.service.database.revision == before, "\(expected) left something")
      }
      let users = (0..<200).map { "usr_reader\($0)" }
      let granted = try await stage.roles.batchGrant(
        .init(roles: users.map { reader(library, $0) }),
        options: .by(Self.hanna)
      )
      #expect(granted.associations.map(\.userId) == users)
      let audited = try await stage.service.database.read { tx in
        try tx.query("SELECT count(*) FROM audit_log WHERE action = 'reader.add'") { $0.integer(0) }
      }
      #expect(audited == [200])
      var (listed, token) = ([String](), "")
      repeat {
        let page = try await stage.roles.listByEntity(
          .init(entityId: library, role: "reader", pageSize: 30, pageToken: token),
          options: .by(Self.hanna)
        )
        listed += page.associations.map(\.userId)
        token = page.nextPageToken
      } while !token.isEmpty
      #expect(listed == users)
    }
  }
}
