import TenancyContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Why somebody may or may not do an action")
struct ExplainTests {
  private static let hanna = "usr_hanna"
  private static let service = CallOptions.byService("gateway")

  /// A damaged book is read by nobody, a condition on an attribute that only the staff sees.
  private static func run(_ body: (TenancyStage) async throws -> Void) async throws {
    var policy = ReadingRoom.policy
    policy.replace(
      #"{ "attribute": "lendable", "equals": true, "otherwise": "DENIED_BY_RULE" }"#,
      with: #"""
        { "attribute": "lendable", "equals": true, "otherwise": "DENIED_BY_RULE" },
        { "attribute": "damaged", "equals": false, "otherwise": "DENIED_BY_RULE" }
        """#
    )
    try await TenancyStage.run(policy: [UInt8](policy.utf8), body)
  }

  /// A library of Hanna's with a librarian and a reader of a shelf, and a borrower of its book.
  private func furnish(
    _ stage: TenancyStage
  ) async throws -> (library: String, shelf: String, book: String) {
    let library = try await stage.create("library", by: Self.hanna).id
    let shelf = try await stage.create("shelf", under: library, by: Self.hanna).id
    let book = try await stage.create("book", under: shelf, by: Self.hanna).id
    try await stage.grant("librarian", on: shelf, to: "usr_lena", by: Self.hanna)
    try await stage.grant("reader", on: shelf, to: "usr_rosa", by: Self.hanna)
    try await stage.grant("borrower", on: book, to: "usr_ben", until: 60_000, by: Self.hanna)
    _ = try await stage.associations.grantSuperAdmin(
      .init(userId: "usr_super"),
      options: .byService("auth")
    )
    return (library, shelf, book)
  }

  private func explain(
    _ user: String,
    _ action: String,
    _ id: String,
    _ options: CallOptions,
    _ stage: TenancyStage
  ) async throws -> Tenancy_V1.Explanation {
    try await stage.permissions.explain(
      .init(subjectId: user, action: action, entityId: id),
      options: options
    )
  }

  @Test("Users are told of their own roles, and of conditions on what they can see")
  func explain_self_showsRolesAndConditions() async throws {
    try await Self.run { stage in
      let (_, shelf, book) = try await furnish(stage)
      let lacks = try await explain("", "book.read", book, .by("usr_rosa"), stage)
      #expect(lacks.decision?.reason == .roleLacksAction)
      #expect(lacks.decision?.sufficientRoles.contains("borrower") == true)
      let place = try #require(lacks.places.first)
      #expect(lacks.places.count == 1 && place.reach == .above && place.entityId == shelf)
      #expect(place.entityType == "shelf" && place.roles.count == 1)
      #expect(place.roles[0].role == "reader" && !place.roles[0].includesAction)
      #expect(place.roles[0].window == .open && !place.roles[0].decisive)
      // Of the condition on what only the staff sees there is nothing.
      let lendable = Tenancy_V1.AttributeCondition(name: "lendable", values: ["true"])
      #expect(
        lacks.conditions == [
          .init(holds: true, otherwise: .deniedByRule, condition: .attribute(lendable))
        ]
      )
      let reads = try await explain("", "book.read", book, .by("usr_ben"), stage)
      let check = try await stage.permissions.check(
        .init(action: "book.read", entityId: book),
        options: .by("usr_ben")
      )
      #expect(reads.decision == check && check.allowed)
      #expect(reads.places.map(\.reach) == [.own] && reads.places[0].roles[0].decisive)
      #expect(reads.places[0].roles[0].associationId == check.associationId)
      stage.clock.advance(60_000)
      let over = try await explain("", "book.read", book, .by("usr_ben"), stage)
      #expect(over.decision?.reason == .expired && over.places[0].roles[0].window == .over)
      #expect(over.places[0].roles[0].includesAction)
    }
  }

  @Test("A condition on what the caller may not see is bare, and only there if it decides")
  func explain_hiddenAttribute_isNotNamed() async throws {
    try await Self.run { stage in
      let (_, _, book) = try await furnish(stage)
      _ = try await stage.entities.update(
        .init(
          entityId: book,
          attributes: .init(fields: ["damaged": .init(kind: .boolValue(true))])
        ),
        options: .by(Self.hanna)
      )
      let bens = try await explain("", "book.read", book, .by("usr_ben"), stage)
      #expect(bens.decision?.reason == .deniedByRule && bens.conditions.count == 2)
      #expect(
        bens.conditions.last == .init(holds: false, otherwise: .deniedByRule, decisive: true)
      )
      let hannas = try await explain("usr_ben", "book.read", book, .by(Self.hanna), stage)
      let damaged = Tenancy_V1.AttributeCondition(name: "damaged", values: ["false"])
      #expect(hannas.conditions.last?.condition == .attribute(damaged))
      #expect(hannas.conditions.last?.decisive == true)
    }
  }

  @Test("About others users are told what lies where they may list roles, and nothing of the rest")
  func explain_others_staysWithinWhatTheCallerMayKnow() async throws {
    try await Self.run { stage in
      let (library, shelf, book) = try await furnish(stage)
      let lenas = try await explain(Self.hanna, "book.read", book, .by("usr_lena"), stage)
      #expect(lenas.decision?.allowed == true && lenas.decision?.role == "head_librarian")
      #expect(lenas.decision?.viaEntityId == "" && lenas.decision?.associationId == "")
      #expect(lenas.places.map(\.entityType) == ["library"] && lenas.places[0].entityId == "")
      #expect(lenas.places[0].roles.map(\.associationId) == [""])
      let rosas = try await explain("usr_rosa", "book.read", book, .by("usr_lena"), stage)
      #expect(rosas.places.map(\.entityId) == [shelf])
      #expect(rosas.places[0].roles[0].associationId.hasPrefix("asc_"))
      let own = try await explain(Self.hanna, "book.read", book, .by(Self.hanna), stage)
      #expect(own.places.map(\.entityId) == [library])
      // Whoever has nothing here, has it elsewhere, or is suspended, is all one to Lena.
      let elsewhere = try await stage.create("library", by: "usr_other").id
      _ = try await stage.subjects.suspend(.init(userId: "usr_gone"), options: .by("usr_super"))
      let nobody = try await explain("usr_nobody", "book.read", book, .by("usr_lena"), stage)
      #expect(nobody.decision?.reason == .noAssociation && nobody.places.isEmpty)
      for user in ["usr_other", "usr_gone"] {
        #expect(try await explain(user, "book.read", book, .by("usr_lena"), stage) == nobody)
      }
      // A service is told.
      let told = try await explain("usr_other", "book.read", book, Self.service, stage)
      #expect(told.decision?.reason == .outOfScope)
      #expect(told.places.map(\.reach) == [.elsewhere])
      #expect(told.places.map(\.entityId) == [elsewhere])
      let gone = try await explain("usr_gone", "book.read", book, Self.service, stage)
      #expect(gone.decision?.reason == .subjectSuspended)
      // Somebody with a role here is told of as suspended.
      _ = try await stage.subjects.suspend(.init(userId: "usr_rosa"), options: .by("usr_super"))
      let rosa = try await explain("usr_rosa", "book.view", book, .by("usr_lena"), stage)
      #expect(rosa.decision?.reason == .subjectSuspended && rosa.places.map(\.entityId) == [shelf])
    }
  }

  @Test(
    "Foreign objects are explained like unknown ones, and others only to whoever may list roles"
  )
  func explain_strangers_learnNothing() async throws {
    try await Self.run { stage in
      let (_, _, book) = try await furnish(stage)
      let unknown = try await explain("", "book.read", "bok_unknown", .by("usr_stranger"), stage)
      #expect(unknown.decision?.reason == .entityUnknown)
      #expect(unknown.places.isEmpty && unknown.conditions.isEmpty && unknown.denies.isEmpty)
      #expect(try await explain("", "book.read", book, .by("usr_stranger"), stage) == unknown)
      let others = { (caller: String, id: String) in
        try await refusal {
          try await explain("usr_ben", "book.read", id, .by(caller), stage)
        }
      }
      let missing = Refusal(.notFound, "NOT_FOUND")
      #expect(try await others("usr_stranger", book) == missing)
      #expect(try await others("usr_stranger", "bok_unknown") == missing)
      #expect(try await others("usr_super", "sys_root") == missing)
      let lacks = Refusal(.permissionDenied, "ROLE_LACKS_ACTION")
      #expect(try await others("usr_rosa", book) == lacks)
      _ = try await stage.subjects.suspend(.init(userId: "usr_ben"), options: .by("usr_super"))
      for id in [book, "bok_unknown"] {
        let told = try await explain("", "book.read", id, .by("usr_ben"), stage)
        #expect(told.decision?.reason == .subjectSuspended && told.places.isEmpty)
      }
      let action = try await refusal {
        try await explain("", "book.burn", book, .by("usr_ben"), stage)
      }
      #expect(action == Refusal(.invalidArgument, "ACTION_UNKNOWN"))
    }
  }
}
