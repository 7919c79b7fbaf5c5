import TenancyContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Could somebody do it at an instant in the past")
struct AsOfTests {
  private static let hanna = "usr_hanna"
  private static let service = CallOptions.byService("gateway")
  private static let hour: Int64 = 3_600_000
  private static let day: Int64 = 86_400_000

  private func furnish(
    _ stage: TenancyStage
  ) async throws -> (library: String, shelf: String, book: String) {
    let library = try await stage.create("library", by: Self.hanna).id
    let shelf = try await stage.create("shelf", under: library, by: Self.hanna).id
    return (library, shelf, try await stage.create("book", under: shelf, by: Self.hanna).id)
  }

  private func check(
    _ user: String,
    _ action: String,
    _ id: String,
    at instant: Int64,
    _ stage: TenancyStage,
    by options: CallOptions = service
  ) async throws -> Tenancy_V1.Decision {
    try await stage.permissions.check(
      .init(
        subjectId: user,
        action: action,
        entityId: id,
        asOf: .init(milliseconds: TenancyStage.start + instant)
      ),
      options: options
    )
  }

  private func revoke(
    _ role: String,
    on id: String,
    from user: String,
    _ stage: TenancyStage
  ) async throws {
    _ = try await stage.roles.revoke(
      .init(entityId: id, role: role, userId: user),
      options: .by(Self.hanna)
    )
  }

  @Test("A role counts from when it was granted until it was revoked, and is named")
  func check_revokedRole_isAnswered() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, book) = try await furnish(stage)
      stage.clock.advance(Self.hour)
      let granted = try await stage.grant("reader", on: shelf, to: "usr_rosa", by: Self.hanna)
      stage.clock.advance(Self.hour)
      try await revoke("reader", on: shelf, from: "usr_rosa", stage)
      stage.clock.advance(5 * Self.day)
      let at = { try await check("usr_rosa", "book.view", book, at: $0, stage) }
      #expect(try await at(Self.hour - 1).reason == .noAssociation)
      let then = try await at(Self.hour)
      #expect(then.allowed && then.associationId == granted.id && then.viaEntityId == shelf)
      #expect(then.role == "reader" && then.validUntil == nil)
      #expect(try await at(2 * Self.hour - 1).allowed)
      #expect(try await at(2 * Self.hour).reason == .noAssociation)
      let explained = try await stage.permissions.explain(
        .init(
          subjectId: "usr_rosa",
          action: "book.view",
          entityId: book,
          asOf: .init(milliseconds: TenancyStage.start + Self.hour)
        ),
        options: .by(Self.hanna)
      )
      #expect(explained.decision == then)
      #expect(explained.places.map(\.entityId) == [shelf])
      #expect(explained.places.first?.roles.first?.decisive == true)
    }
  }

  @Test("A window that was replaced, a move, an attribute and a suspension are as they were")
  func check_changedSince_isAsItWas() async throws {
    try await ReadingRoom.run { stage in
      let (library, shelf, book) = try await furnish(stage)
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      let other = try await stage.create("shelf", under: library, by: Self.hanna).id
      try await stage.grant("librarian", on: shelf, to: "usr_lena", until: Self.day, by: Self.hanna)
      stage.clock.advance(Self.hour)
      _ = try await stage.entities.update(
        .init(
          entityId: book,
          attributes: .init(fields: ["lendable": .init(kind: .boolValue(false))])
        ),
        options: .by(Self.hanna)
      )
      stage.clock.advance(Self.hour)
      _ = try await stage.entities.update(
        .init(
          entityId: book,
          attributes: .init(fields: ["lendable": .init(kind: .boolValue(true))])
        ),
        options: .by(Self.hanna)
      )
      _ = try await stage.subjects.suspend(.init(userId: "usr_lena"), options: .by("usr_super"))
      stage.clock.advance(Self.hour)
      _ = try await stage.subjects.resume(.init(userId: "usr_lena"), options: .by("usr_super"))
      _ = try await stage.entities.move(
        .init(entityId: book, parentId: other),
        options: .by(Self.hanna)
      )
      stage.clock.advance(2 * Self.day)
      let reasons = try await (0...3).asyncMap {
        try await check("usr_lena", "book.read", book, at: $0 * Self.hour, stage).reason
      }
      #expect(reasons == [.allowed, .deniedByRule, .subjectSuspended, .outOfScope])
      #expect(
        try await check("usr_lena", "shelf.view", shelf, at: Self.day, stage).reason == .expired
      )
      // To Hanna Lena's suspension shows only where she has a role.
      let shown = { (id: String) in
        try await check(
          "usr_lena",
          "shelf.view",
          id,
          at: 2 * Self.hour,
          stage,
          by: .by(Self.hanna)
        ).reason
      }
      #expect(try await shown(shelf) == .subjectSuspended)
      #expect(try await shown(other) == .noAssociation)
    }
  }

  @Test(
    "What was deleted with everything on it is answered, to those who see what is left above it"
  )
  func check_deletedEntity_isAnswered() async throws {
    try await ReadingRoom.run { stage in
      let (library, shelf, book) = try await furnish(stage)
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      try await stage.grant("reader", on: shelf, to: "usr_rosa", by: Self.hanna)
      stage.clock.advance(Self.hour)
      _ = try await stage.entities.delete(
        .init(entityId: shelf, cascade: true),
        options: .by(Self.hanna)
      )
      stage.clock.advance(Self.hour)
      let ask = { (options: CallOptions, instant: Int64) in
        try await check("usr_rosa", "book.view", book, at: instant, stage, by: options)
      }
      for options in [Self.service, .by(Self.hanna), .by("usr_super")] {
        #expect(try await ask(options, 0).allowed)
        #expect(try await ask(options, Self.hour).reason == .entityUnknown)
      }
      let gone = Refusal(.notFound, "NOT_FOUND")
      #expect(try await refusal { try await ask(.by("usr_rosa"), 0) } == gone)
      #expect(try await refusal { try await ask(.by("usr_stranger"), 0) } == gone)
      _ = try await stage.entities.delete(.init(entityId: library), options: .by(Self.hanna))
      #expect(try await refusal { try await ask(.by(Self.hanna), 0) } == gone)
      #expect(try await ask(.by("usr_super"), 0).allowed)
      #expect(try await ask(Self.service, 0).allowed)
    }
  }

  @Test("Only those who may list the roles today may ask, about themselves as well")
  func check_withoutRight_isRefused() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, book) = try await furnish(stage)
      try await stage.grant("reader", on: shelf, to: "usr_rosa", by: Self.hanna)
      let ask = { (caller: String, subject: String, id: String) in
        try await refusal {
          try await check(subject, "book.view", id, at: 0, stage, by: .by(caller))
        }
      }
      let lacks = Refusal(.permissionDenied, "ROLE_LACKS_ACTION")
      #expect(try await ask("usr_rosa", "", book) == lacks)
      #expect(try await ask("usr_rosa", Self.hanna, book) == lacks)
      let gone = Refusal(.notFound, "NOT_FOUND")
      #expect(try await ask("usr_stranger", "", book) == gone)
      #expect(try await ask("usr_stranger", "", "bok_unknown") == gone)
      #expect(try await ask(Self.hanna, "", "bok_unknown") == gone)
      #expect(try await ask(Self.hanna, "", book) == nil)
      let service = try await refusal {
        try await check("", "book.view", book, at: 0, stage, by: Self.service)
      }
      #expect(service == Refusal(.invalidArgument, "REQUIRED"))
    }
  }

  @Test("The future, batches and what was never kept are refused with a reason")
  func check_unanswerable_isRefused() async throws {
    try await ReadingRoom.run { stage in
      let (_, _, book) = try await furnish(stage)
      stage.clock.advance(Self.hour)
      let ask = { (instant: Int64) in
        try await refusal {
          try await check(Self.hanna, "book.view", book, at: instant, stage)
        }
      }
      #expect(try await ask(Self.hour) == nil)
      #expect(
        try await ask(Self.hour + 1) == Refusal(.invalidArgument, "AS_OF_IN_FUTURE")
      )
      #expect(try await ask(-1) == Refusal(.failedPrecondition, "PAST_UNKNOWN"))
      let batched = try await refusal {
        try await stage.permissions.batchCheck(
          .init(checks: [
            .init(
              subjectId: Self.hanna,
              action: "book.view",
              entityId: book,
              asOf: .init(milliseconds: TenancyStage.start)
            )
          ]),
          options: Self.service
        )
      }
      #expect(batched == Refusal(.invalidArgument, "AS_OF_IN_BATCH"))
      let unknown = try await refusal {
        try await check(Self.hanna, "book.burn", book, at: 0, stage)
      }
      #expect(unknown == Refusal(.invalidArgument, "ACTION_UNKNOWN"))
      // After 90 days the beginning is forgotten, and later instants are not.
      stage.clock.advance(91 * Self.day)
      try await stage.service.purge(now: stage.clock.now)
      #expect(try await ask(Self.hour) == Refusal(.failedPrecondition, "PAST_UNKNOWN"))
      #expect(try await ask(2 * Self.day) == nil)
    }
  }

  @Test("Where the policy of that time cannot be read there is no guess")
  func check_unreadablePolicy_isRefused() async throws {
    try await ReadingRoom.run { stage in
      let (_, _, book) = try await furnish(stage)
      _ = try await stage.service.database.write { tx in
        try tx.execute("UPDATE past_policy SET digest = x'00', sources = '[[\"old\", \"{}\"]]'")
      }
      let refused = try await refusal {
        try await check(Self.hanna, "book.view", book, at: 0, stage)
      }
      #expect(refused == Refusal(.failedPrecondition, "PAST_POLICY_UNREADABLE"))
    }
  }

  @Test("A role is known for 90 days after its end, also when audit records are kept for less")
  func purge_oldRows_forgetsThem() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, book) = try await furnish(stage)
      try await stage.grant("reader", on: shelf, to: "usr_rosa", by: Self.hanna)
      stage.clock.advance(Self.day)
      try await revoke("reader", on: shelf, from: "usr_rosa", stage)
      try await stage.grant("reader", on: shelf, to: "usr_ruth", by: Self.hanna)
      stage.clock.advance(10 * Self.day)
      try await revoke("reader", on: shelf, from: "usr_ruth", stage)
      stage.clock.advance(85 * Self.day)
      try await stage.service.purge(now: stage.clock.now)
      let users = try await stage.service.database.read { tx in
        try tx.query("SELECT user_id FROM association_history WHERE ended_at IS NOT NULL") {
          $0.text(0)
        }
      }
      #expect(users == ["usr_ruth"])
      #expect(try await check("usr_ruth", "book.view", book, at: 8 * Self.day, stage).allowed)
    }
  }

  @Test("The policy of that time decides, also after a restart; what nobody kept is assumed")
  func check_otherPolicySince_usesThatOfTheTime() async throws {
    let folder = try TestFolder()
    let first = [UInt8](ReadingRoom.policy.utf8)
    var text = ReadingRoom.policy
    text.replace(#""version": 1"#, with: #""version": 2"#)
    text.replace(
      #""book.view": { "roles": ["cataloguer", "reader", "borrower"] }"#,
      with: #""book.view": { "roles": ["librarian"], "conditions": [{ "step_up": "pin" }] }"#
    )
    let second = [UInt8](text.utf8)
    var book = ""
    try await TenancyStage.run(policy: first, in: folder) { stage in
      let library = try await furnish(stage)
      book = library.book
      try await stage.grant("reader", on: library.shelf, to: "usr_rosa", by: Self.hanna)
      stage.clock.advance(Self.hour)
      try await stage.service.reload { second }
      let hannas = try await check(Self.hanna, "book.view", book, at: Self.hour, stage)
      #expect(hannas.allowed && hannas.details?.assumedStepUps == ["pin"])
      let rosas = { try await check("usr_rosa", "book.view", book, at: $0, stage).reason }
      #expect(try await rosas(Self.hour - 1) == .allowed)
      #expect(try await rosas(Self.hour) == .roleLacksAction)
    }
    // Time has stood still in the meantime, so that the past is what it was.
    try await TenancyStage.run(policy: second, in: folder) { stage in
      stage.clock.advance(2 * Self.hour)
      let rosas = { try await check("usr_rosa", "book.view", book, at: $0, stage).reason }
      let (before, after) = (try await rosas(Self.hour - 1), try await rosas(2 * Self.hour))
      #expect(before == .allowed && after == .roleLacksAction)
    }
  }
}

extension Sequence {
  /// The results of an asynchronous transformation, one after the other.
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async throws -> [T] {
    var results: [T] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
