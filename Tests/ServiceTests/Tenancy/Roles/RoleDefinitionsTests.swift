import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Roles of a tenant's own")
struct RoleDefinitionsTests {
  private static let hanna = "usr_hanna"

  /// Librarians may define roles too, so that somebody who has less than everything can.
  private static func run(_ body: (TenancyStage) async throws -> Void) async throws {
    try await TenancyStage.run(policy: policy(version: 1), body)
  }

  private static func policy(version: Int) -> [UInt8] {
    var text = ReadingRoomPolicy.textWithDefinitions
    text.replace(#""version": 1"#, with: "\"version\": \(version)")
    return [UInt8](text.utf8)
  }

  private func furnish(
    _ stage: TenancyStage
  ) async throws -> (library: String, shelf: String, book: String) {
    let library = try await stage.create("library", by: Self.hanna).id
    let shelf = try await stage.create("shelf", under: library, by: Self.hanna).id
    return (library, shelf, try await stage.create("book", under: shelf, by: Self.hanna).id)
  }

  @discardableResult
  private func define(
    _ name: String,
    of base: String,
    _ actions: [String],
    on id: String,
    by user: String = hanna,
    _ stage: TenancyStage
  ) async throws -> Tenancy_V1.RoleDefinition {
    try await stage.definitions.put(
      .init(entityId: id, name: name, baseRole: base, actions: actions),
      options: .by(user)
    )
  }

  @Test("A role is changed by who has seen it as it is, and added by who expects nothing")
  func put_expectingAnotherRevision_isAborted() async throws {
    try await Self.run { stage in
      let (library, _, _) = try await furnish(stage)
      func put(
        _ actions: [String],
        expecting revision: String,
        name: String = "helper"
      ) async throws -> Tenancy_V1.RoleDefinition {
        try await stage.definitions.put(
          .init(
            entityId: library,
            name: name,
            baseRole: "reader",
            actions: actions,
            expectedRevision: revision
          ),
          options: .by(Self.hanna)
        )
      }
      let first = try await put(["book.view"], expecting: "")
      #expect(!first.revision.isEmpty)
      stage.clock.advance(1)
      let second = try await put(["book.read", "book.view"], expecting: first.revision)
      #expect(second.revision != first.revision && second.updatedAt != first.updatedAt)
      let mismatch = Refusal(.aborted, "REVISION_MISMATCH")
      #expect(try await refusal { try await put([], expecting: first.revision) } == mismatch)
      #expect(
        try await refusal { try await put([], expecting: second.revision, name: "other") }
          == mismatch
      )
      let listed = try await stage.definitions.list(
        .init(entityId: library),
        options: .by(Self.hanna)
      )
      #expect(listed.definitions == [second])
    }
  }

  @Test("A role of a tenant's own includes what it says, and everything that lists roles names it")
  func define_thenGrant_grantsItsActions() async throws {
    try await Self.run { stage in
      let (library, shelf, book) = try await furnish(stage)
      let defined = try await define(
        "weekend_reader",
        of: "reader",
        ["book.read", "book.view", "book.read"],
        on: library,
        stage
      )
      #expect(defined.actions == ["book.read", "book.view"] && defined.id.hasPrefix("rol_"))
      #expect(defined.definedBy == Self.hanna && defined.entityId == library)
      let granted = try await stage.grant(
        "weekend_reader",
        on: shelf,
        to: "usr_rosa",
        by: Self.hanna
      )
      #expect(granted.role == "reader" && granted.customRole == "weekend_reader")
      #expect(try await stage.reason("usr_rosa", "shelf.view", shelf) == .roleLacksAction)
      let decision = try await stage.permissions.check(
        .init(action: "book.read", entityId: book),
        options: .by("usr_rosa")
      )
      #expect(decision.allowed && decision.role == "reader")
      #expect(decision.details?.customRole == "weekend_reader")
      let explained = try await stage.permissions.explain(
        .init(subjectId: "usr_rosa", action: "book.read", entityId: book),
        options: .by(Self.hanna)
      )
      #expect(explained.places.first?.roles.map(\.customRole) == ["weekend_reader"])
      #expect(explained.places.first?.roles.map(\.includesAction) == [true])
      let subjects = try await stage.permissions.listSubjects(
        .init(entityId: book, action: "book.read"),
        options: .by(Self.hanna)
      ).subjects
      #expect(subjects.map(\.userId) == [Self.hanna, "usr_rosa"])
      #expect(subjects.last?.association == granted)
      let accessible = try await stage.permissions.listAccessible(
        .init(action: "book.read", entityType: "book"),
        options: .by("usr_rosa")
      )
      #expect(accessible.entityIds == [book])
      let fetched = try await stage.permissions.fetch(
        .init(entityId: shelf),
        options: .by("usr_rosa")
      )
      #expect(
        fetched.sets.map(\.actions).sorted { $0.count < $1.count } == [
          [], ["book.read", "book.view"],
        ]
      )
      for role in ["weekend_reader", "reader"] {
        let listed = try await stage.roles.listByEntity(
          .init(entityId: shelf, role: role),
          options: .by(Self.hanna)
        )
        #expect(listed.associations == [granted], "\(role)")
      }
      let removed = try await stage.roles.revoke(
        .init(entityId: shelf, role: "weekend_reader", userId: "usr_rosa"),
        options: .by(Self.hanna)
      )
      #expect(removed.removed == 1)
      #expect(try await stage.reason("usr_rosa", "book.read", book) == .entityUnknown)
    }
  }

  @Test("A role and its variant are held beside each other; the variant is left and revoked alone")
  func revoke_variant_leavesBase() async throws {
    try await Self.run { stage in
      let (library, shelf, book) = try await furnish(stage)
      try await define("weekend_reader", of: "reader", ["book.read"], on: library, stage)
      for role in ["reader", "weekend_reader"] {
        try await stage.grant(role, on: shelf, to: "usr_rosa", by: Self.hanna)
      }
      let reasons = {
        let read = try await stage.reason("usr_rosa", "book.read", book)
        return [read, try await stage.reason("usr_rosa", "book.view", book)]
      }
      #expect(try await reasons() == [.allowed, .allowed])
      let left = try await stage.roles.leave(
        .init(entityId: shelf, role: "weekend_reader"),
        options: .by("usr_rosa")
      )
      #expect(left.removed == 1)
      #expect(try await reasons() == [.roleLacksAction, .allowed])
      try await stage.grant("weekend_reader", on: shelf, to: "usr_rosa", by: Self.hanna)
      let both = try await stage.roles.revoke(
        .init(entityId: shelf, role: "reader", userId: "usr_rosa"),
        options: .by(Self.hanna)
      )
      #expect(both.removed == 2)
    }
  }

  @Test("A role that replaces its base counts at once, in its own tenant, until it is deleted")
  func define_replacement_changesBaseInTenant() async throws {
    try await Self.run { stage in
      let (library, shelf, book) = try await furnish(stage)
      let other = try await furnish(stage)
      for id in [shelf, other.shelf] {
        try await stage.grant("reader", on: id, to: "usr_rosa", by: Self.hanna)
      }
      let revision = stage.service.engine.revision
      try await define("reader", of: "reader", ["book.view", "book.read"], on: library, stage)
      guard case .events(let events, _) = stage.service.engine.events(after: revision) else {
        Issue.record("events are missing")
        return
      }
      #expect(events.map(\.kind) == [.subtree(library)])
      let may = { (shelf: String, book: String) in
        let views = try await stage.reason("usr_rosa", "shelf.view", shelf) == .allowed
        return [views, try await stage.reason("usr_rosa", "book.read", book) == .allowed]
      }
      #expect(try await may(shelf, book) == [false, true])
      #expect(try await may(other.shelf, other.book) == [true, false])
      // Whoever gets the role later has the same.
      try await stage.grant("reader", on: shelf, to: "usr_ruth", by: Self.hanna)
      #expect(try await stage.reason("usr_ruth", "book.read", book) == .allowed)
      let deleted = try await stage.definitions.delete(
        .init(entityId: library, name: "reader"),
        options: .by(Self.hanna)
      )
      #expect(deleted.deleted)
      #expect(try await may(shelf, book) == [true, false])
      #expect(try await stage.reason("usr_ruth", "book.read", book) == .roleLacksAction)
    }
  }

  @Test("Nobody puts into a role, or gives by it, what they do not have in the whole tenant")
  func define_beyondOwn_isRefused() async throws {
    try await Self.run { stage in
      let (library, shelf, _) = try await furnish(stage)
      try await stage.grant("librarian", on: library, to: "usr_lena", by: Self.hanna)
      let exceeds = Refusal(.permissionDenied, "ROLE_EXCEEDS_OWN")
      try await define("mover", of: "reader", ["book.move"], on: library, by: "usr_lena", stage)
      let beyond = try await refusal {
        try await define(
          "closer",
          of: "reader",
          ["book.move", "library.close"],
          on: library,
          by: "usr_lena",
          stage
        )
      }
      #expect(beyond == exceeds)
      // What Hanna has put into a role, Lena cannot give, though she may grant its base.
      try await define("closer", of: "reader", ["library.close"], on: library, stage)
      let given = try await refusal {
        try await stage.grant("closer", on: library, to: "usr_lena", by: "usr_lena")
      }
      #expect(given == exceeds)
      try await define("reader", of: "reader", ["library.close"], on: library, stage)
      let replaced = try await refusal {
        try await stage.grant("reader", on: library, to: "usr_lena", by: "usr_lena")
      }
      #expect(replaced == exceeds)
      try await stage.grant("closer", on: library, to: "usr_carl", by: Self.hanna)
      #expect(try await stage.reason("usr_carl", "library.close", library) == .allowed)
      // A role on a part of the tenant is not enough to define.
      try await stage.grant("librarian", on: shelf, to: "usr_shelly", by: Self.hanna)
      let part = try await refusal {
        try await define("own", of: "reader", ["book.move"], on: library, by: "usr_shelly", stage)
      }
      #expect(part == Refusal(.notFound, "NOT_FOUND"))
    }
  }

  @Test("What is no role of a tenant's own is refused with a reason")
  func define_malformed_isRefused() async throws {
    try await Self.run { stage in
      let (library, shelf, _) = try await furnish(stage)
      let branch = try await stage.create("library", under: library, by: Self.hanna).id
      let cases: [(String, name: String, base: String, action: String, Refusal)] = [
        (shelf, "own", "reader", "book.view", .init(.permissionDenied, "ROLE_LACKS_ACTION")),
        (branch, "own", "reader", "book.view", .init(.invalidArgument, "NOT_A_TENANT")),
        (library, "own", "king", "book.view", .init(.invalidArgument, "ROLE_UNKNOWN")),
        (library, "own", "head_librarian", "book.view", .init(.invalidArgument, "ROLE_INVALID")),
        (library, "own", "super_admin", "book.view", .init(.invalidArgument, "ROLE_INVALID")),
        (library, "librarian", "reader", "book.view", .init(.invalidArgument, "ROLE_INVALID")),
        (library, "own", "reader", "book.burn", .init(.invalidArgument, "ACTION_UNKNOWN")),
        (library, "own", "reader", "system.administer", .init(.invalidArgument, "ACTION_UNKNOWN")),
        ("lib_unknown", "own", "reader", "book.view", .init(.notFound, "NOT_FOUND")),
      ]
      for (id, name, base, action, expected) in cases {
        let refused = try await refusal {
          try await define(name, of: base, [action], on: id, stage)
        }
        #expect(refused == expected, "\(id) \(name) \(base) \(action)")
      }
      let stranger = try await refusal {
        try await define("own", of: "reader", [], on: library, by: "usr_stranger", stage)
      }
      #expect(stranger == Refusal(.notFound, "NOT_FOUND"))
      try await define("own", of: "reader", [], on: library, stage)
      let other = try await refusal {
        try await define("own", of: "cataloguer", [], on: library, stage)
      }
      #expect(other == Refusal(.invalidArgument, "ROLE_INVALID"))
      let elsewhere = try await furnish(stage)
      let foreign = try await refusal {
        try await stage.grant("own", on: elsewhere.shelf, to: "usr_rosa", by: Self.hanna)
      }
      #expect(foreign == Refusal(.invalidArgument, "ROLE_UNKNOWN"))
      for number in 1..<RoleDefinitionRecord.countMax {
        try await define("own_\(number)", of: "reader", [], on: library, stage)
      }
      let many = try await refusal {
        try await define("more", of: "reader", [], on: library, stage)
      }
      #expect(many == Refusal(.failedPrecondition, "TOO_MANY_ROLES"))
      let listed = try await stage.definitions.list(
        .init(entityId: library),
        options: .by(Self.hanna)
      )
      #expect(listed.definitions.count == RoleDefinitionRecord.countMax)
    }
  }

  @Test(
    "A role that somebody has stays, and goes with its tenant; its holders do not leave the tenant"
  )
  func delete_heldRole_isRefused() async throws {
    try await Self.run { stage in
      let (library, shelf, _) = try await furnish(stage)
      let other = try await furnish(stage)
      try await define("own", of: "reader", ["book.view"], on: library, stage)
      try await stage.grant("own", on: shelf, to: "usr_rosa", by: Self.hanna)
      let delete = {
        try await stage.definitions.delete(
          .init(entityId: library, name: "own"),
          options: .by(Self.hanna)
        ).deleted
      }
      #expect(
        try await refusal { try await delete() } == .init(.failedPrecondition, "HAS_DEPENDENTS")
      )
      let moved = try await refusal {
        try await stage.entities.move(
          .init(entityId: shelf, parentId: other.library),
          options: .by(Self.hanna)
        )
      }
      #expect(moved == Refusal(.failedPrecondition, "ROLE_OF_TENANT"))
      let below = try await refusal {
        try await stage.entities.move(
          .init(entityId: library, parentId: other.library),
          options: .by(Self.hanna)
        )
      }
      #expect(below == Refusal(.failedPrecondition, "ROLE_OF_TENANT"))
      _ = try await stage.entities.delete(
        .init(entityId: library, cascade: true),
        options: .by(Self.hanna)
      )
      let left = try await stage.service.database.read { tx in try RoleDefinitionTable.all(in: tx) }
      #expect(left.isEmpty)
      let actions = try await stage.service.database.read { tx in
        try tx.query(
          "SELECT action FROM audit_log WHERE action LIKE 'role_definition.%' ORDER BY sequence"
        ) { $0.text(0) }
      }
      #expect(actions == ["role_definition.put", "role_definition.delete"])
    }
  }

  @Test("What was lent by a role of a tenant's own ends with it")
  func lend_byVariant_endsWithIt() async throws {
    try await Self.run { stage in
      let (library, shelf, book) = try await furnish(stage)
      try await define("lender", of: "reader", ["book.lend", "book.view"], on: library, stage)
      try await stage.grant("lender", on: shelf, to: "usr_lea", by: Self.hanna)
      try await stage.grant("borrower", on: book, to: "usr_ben", until: 60_000, by: "usr_lea")
      try await stage.grant("reader", on: shelf, to: "usr_lea", by: Self.hanna)
      #expect(try await stage.reason("usr_ben", "book.read", book) == .allowed)
      _ = try await stage.roles.revoke(
        .init(entityId: shelf, role: "lender", userId: "usr_lea"),
        options: .by(Self.hanna)
      )
      #expect(try await stage.reason("usr_ben", "book.read", book) == .entityUnknown)
    }
  }

  @Test("Roles of a tenant's own are there after a restart, under another policy, and in the past")
  func open_storedDefinitions_areKept() async throws {
    let folder = try TestFolder()
    var book = ""
    let check = { (user: String, asOf: Int64?, stage: TenancyStage) in
      try await stage.permissions.check(
        .init(
          subjectId: user,
          action: "book.read",
          entityId: book,
          asOf: asOf.map { .init(milliseconds: TenancyStage.start + $0) }
        ),
        options: .byService("gateway")
      ).reason
    }
    try await TenancyStage.run(policy: Self.policy(version: 1), in: folder) { stage in
      let found = try await furnish(stage)
      book = found.book
      try await define("own", of: "reader", ["book.read"], on: found.library, stage)
      try await define("reader", of: "reader", ["book.read"], on: found.library, stage)
      try await stage.grant("own", on: found.shelf, to: "usr_rosa", by: Self.hanna)
      try await stage.grant("reader", on: found.shelf, to: "usr_ruth", by: Self.hanna)
      try await stage.service.reload { Self.policy(version: 2) }
      #expect(try await check("usr_rosa", nil, stage) == .allowed)
      #expect(try await check("usr_ruth", nil, stage) == .allowed)
      stage.clock.advance(1000)
      try await define("own", of: "reader", [], on: found.library, stage)
      try await define("reader", of: "reader", [], on: found.library, stage)
      for user in ["usr_rosa", "usr_ruth"] {
        #expect(try await check(user, nil, stage) == .roleLacksAction)
        #expect(try await check(user, 999, stage) == .allowed)
        #expect(try await check(user, 1000, stage) == .roleLacksAction)
      }
    }
    try await TenancyStage.run(policy: Self.policy(version: 2), in: folder) { stage in
      for user in ["usr_rosa", "usr_ruth"] {
        let reason = try await check(user, nil, stage)
        #expect(reason == .roleLacksAction, "\(user)")
      }
    }
  }

  @Test("An organization of stables needs advancedPermissions for its weekend groom")
  func define_weekendGroom_needsFeature() async throws {
    let entitlement = SmallEntitlementService()
    let policy = try PolicyFile.bytes("equestrian")
    try await TenancyStage.run(policy: policy, entitlement: entitlement) { stage in
      let actions = [
        "organization.view", "stable.view", "stable.view_schedules", "stable.book_shifts",
        "horse.view",
      ]
      let unpaid = try await stage.create("organization", by: Self.hanna).id
      let refused = try await refusal {
        try await define("weekend_groom", of: "groom", actions, on: unpaid, stage)
      }
      #expect(refused == Refusal(.failedPrecondition, "FEATURE_NOT_AVAILABLE"))
      let organization = try await stage.create("organization", by: Self.hanna).id
      entitlement.set(["advancedPermissions"], of: organization)
      entitlement.set(
        limits: ["maxStables": nil, "maxHorses": nil, "maxMembers": nil],
        of: organization
      )
      let stable = try await stage.create("stable", under: organization, by: Self.hanna).id
      let horse = try await stage.create("horse", under: stable, by: Self.hanna).id
      try await define("weekend_groom", of: "groom", actions, on: organization, stage)
      // Tests begin on a Monday at noon.
      let granted = try await stage.roles.grant(
        .init(
          role: .init(
            entityId: stable,
            role: "weekend_groom",
            userId: "usr_wendy",
            recurring: .init(
              days: ["saturday", "sunday"],
              from: "06:00",
              until: "20:00",
              timeZone: "Europe/Berlin"
            )
          )
        ),
        options: .by(Self.hanna)
      )
      #expect(granted.role == "groom" && granted.customRole == "weekend_groom")
      #expect(try await stage.reason("usr_wendy", "horse.view", horse) == .notYetValid)
      stage.clock.advance(5 * 86_400_000)
      #expect(try await stage.reason("usr_wendy", "horse.view", horse) == .allowed)
      #expect(try await stage.reason("usr_wendy", "horse.view_records", horse) == .roleLacksAction)
      // When the plan is over, nobody is kept from tidying up.
      entitlement.set([], of: organization)
      let more = try await stage.eventually {
        try await refusal {
          try await define("sunday_groom", of: "groom", actions, on: organization, stage)
        } == Refusal(.failedPrecondition, "FEATURE_NOT_AVAILABLE")
      }
      #expect(more)
      _ = try await stage.roles.revoke(
        .init(entityId: stable, role: "weekend_groom", userId: "usr_wendy"),
        options: .by(Self.hanna)
      )
      let deleted = try await stage.definitions.delete(
        .init(entityId: organization, name: "weekend_groom"),
        options: .by(Self.hanna)
      )
      #expect(deleted.deleted)
    }
  }
}

extension TenancyStage {
  var definitions: Tenancy_V1.RoleDefinitionsClient { .init(channel) }
}
