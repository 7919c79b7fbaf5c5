import TenancyContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AccessEngine
@testable import TenancyService

/// Tests begin on Monday, 2026-01-05, at 12:00 in UTC and 13:00 in Berlin.
@Suite("Roles that count at certain hours")
struct RecurringRoleTests {
  private static let hanna = "usr_hanna"
  private static let minute: Int64 = 60_000
  private static let day: Int64 = 86_400_000

  /// Half past one to six in the afternoon in Berlin, on working days.
  private static let afternoons = Tenancy_V1.RecurringWindow(
    days: ["monday", "tuesday", "wednesday", "thursday", "friday"],
    from: "13:30",
    until: "18:00",
    timeZone: "Europe/Berlin"
  )

  /// A library of Hanna's with one book on one shelf.
  private func furnish(
    _ stage: TenancyStage
  ) async throws -> (library: String, shelf: String, book: String) {
    let library = try await stage.create("library", by: Self.hanna).id
    let shelf = try await stage.create("shelf", under: library, by: Self.hanna).id
    return (library, shelf, try await stage.create("book", under: shelf, by: Self.hanna).id)
  }

  @discardableResult
  private func grant(
    _ role: String,
    on id: String,
    to user: String,
    _ recurring: Tenancy_V1.RecurringWindow?,
    until: Int64? = nil,
    replacesWindow: Bool = false,
    by caller: String = hanna,
    _ stage: TenancyStage
  ) async throws -> Tenancy_V1.RoleAssociation {
    try await stage.roles.grant(
      .init(
        role: .init(
          entityId: id,
          role: role,
          userId: user,
          validUntil: until.map { .init(milliseconds: TenancyStage.start + $0) },
          replaceWindow: replacesWindow,
          recurring: recurring
        )
      ),
      options: .by(caller)
    )
  }

  private func mayView(
    _ book: String,
    _ stage: TenancyStage
  ) async throws -> Tenancy_V1.Reason {
    try await stage.permissions.check(
      .init(subjectId: "usr_rosa", action: "book.view", entityId: book),
      options: .byService("gateway")
    ).reason
  }

  @Test("A role counts at its hours, and no answer is valid beyond their beginning or end")
  func check_recurringRole_opensAndCloses() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, book) = try await furnish(stage)
      let granted = try await grant("reader", on: shelf, to: "usr_rosa", Self.afternoons, stage)
      #expect(granted.recurring == Self.afternoons && !granted.recurringOpen)
      let check = { (minutes: Int64) in
        stage.clock.advance(minutes * Self.minute)
        let decision = try await stage.permissions.check(
          .init(action: "book.view", entityId: book),
          options: .by("usr_rosa")
        )
        let left = (decision.validUntil?.milliseconds ?? 0) - stage.clock.now
        return "\(decision.reason) \(left / Self.minute)"
      }
      // Half past eleven in UTC, then what is left until the beginning.
      #expect(try await check(0) == "\(Tenancy_V1.Reason.notYetValid) 5")
      #expect(try await check(27) == "\(Tenancy_V1.Reason.notYetValid) 3")
      #expect(try await check(3) == "\(Tenancy_V1.Reason.allowed) 5")
      #expect(try await check(268) == "\(Tenancy_V1.Reason.allowed) 2")
      #expect(try await check(2) == "\(Tenancy_V1.Reason.notYetValid) 5")
    }
  }

  @Test("Hours follow the clocks of their zone when these change")
  func check_daylightSaving_followsClocks() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, book) = try await furnish(stage)
      try await grant("reader", on: shelf, to: "usr_rosa", Self.afternoons, stage)
      // Friday, 2026-03-27, is in winter time, and Monday, 2026-03-30, in summer time.
      let cases: [(day: Int64, minute: Int64, Tenancy_V1.Reason)] = [
        (81, 29, .notYetValid), (81, 30, .allowed), (81, 299, .allowed), (81, 300, .notYetValid),
        (82, 60, .notYetValid),
        (84, -31, .notYetValid), (84, -30, .allowed), (84, 239, .allowed),
        (84, 240, .notYetValid),
      ]
      for (day, minute, reason) in cases {
        let instant = TenancyStage.start + day * Self.day + minute * Self.minute
        stage.clock.advance(instant - stage.clock.now)
        #expect(try await mayView(book, stage) == reason, "day \(day), minute \(minute)")
      }
    }
  }

  @Test("Lists, explanations and everything that is fetched know the hours")
  func lists_recurringRole_sayWhetherItIsOpen() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, book) = try await furnish(stage)
      try await grant("reader", on: shelf, to: "usr_rosa", Self.afternoons, stage)
      let listed = {
        let subjects = try await stage.permissions.listSubjects(
          .init(entityId: book, action: "book.view"),
          options: .by(Self.hanna)
        ).subjects.map(\.userId)
        let accessible = try await stage.permissions.listAccessible(
          .init(action: "book.view", entityType: "book"),
          options: .by("usr_rosa")
        ).entityIds
        let fetched = try await stage.permissions.fetch(
          .init(entityId: shelf),
          options: .by("usr_rosa")
        ).entities.map(\.entityId)
        let own = try await stage.roles.listByUser(
          .init(inForce: true),
          options: .by("usr_rosa")
        ).associations
        let explained = try await stage.permissions.explain(
          .init(subjectId: "usr_rosa", action: "book.view", entityId: book),
          options: .by(Self.hanna)
        )
        let role = try #require(explained.places.first?.roles.first)
        #expect(own.map(\.recurring) == [Self.afternoons] && role.recurring == Self.afternoons)
        return (subjects, accessible, Set(fetched), own.map(\.recurringOpen), role.window)
      }
      var found = try await listed()
      #expect(found.0 == [Self.hanna] && found.1 == [] && found.2 == [] && found.3 == [false])
      #expect(found.4 == .closed)
      stage.clock.advance(30 * Self.minute)
      found = try await listed()
      #expect(found.0 == [Self.hanna, "usr_rosa"] && found.1 == [book])
      #expect(found.2 == [shelf, book] && found.3 == [true] && found.4 == .open)
    }
  }

  @Test("What a caller fetches is valid until the next hours begin")
  func fetch_closedRole_endsAtEdge() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, _) = try await furnish(stage)
      try await grant("reader", on: shelf, to: "usr_rosa", Self.afternoons, stage)
      stage.clock.advance(28 * Self.minute)
      let fetched = try await stage.permissions.fetch(
        .init(entityId: shelf),
        options: .by("usr_rosa")
      )
      #expect(fetched.entities.isEmpty)
      #expect(fetched.validUntil == .init(milliseconds: stage.clock.now + 2 * Self.minute))
    }
  }

  @Test("Other hours need replace_window, and the same ones are no change")
  func grant_otherHours_isConflict() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, book) = try await furnish(stage)
      let first = try await grant("reader", on: shelf, to: "usr_rosa", Self.afternoons, stage)
      #expect(
        try await grant("reader", on: shelf, to: "usr_rosa", Self.afternoons, stage) == first
      )
      let refused = try await refusal {
        try await grant("reader", on: shelf, to: "usr_rosa", nil, stage)
      }
      #expect(refused == Refusal(.alreadyExists, "WINDOW_DIFFERS"))
      #expect(try await mayView(book, stage) == .notYetValid)
      try await grant("reader", on: shelf, to: "usr_rosa", nil, replacesWindow: true, stage)
      #expect(try await mayView(book, stage) == .allowed)
    }
  }

  @Test(
    "What is no window is refused, with the field",
    arguments: [
      (["mon"], "08:00", "09:00", "UTC", "WINDOW_INVALID"),
      ([], "08:00", "08:00", "UTC", "WINDOW_INVALID"),
      ([], "24:00", "08:00", "UTC", "WINDOW_INVALID"),
      ([], "8:00", "09:00", "UTC", "WINDOW_INVALID"),
      ([], "08:00", "24:01", "UTC", "WINDOW_INVALID"),
      ([], "08:00", "09:00", "Berlin", "TIME_ZONE_INVALID"),
      ([], "08:00", "09:00", "Europe/Atlantis", "TIME_ZONE_UNKNOWN"),
    ]
  )
  func grant_malformedWindow_isRefused(
    days: [String],
    from: String,
    until: String,
    zone: String,
    reason: String
  ) async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, _) = try await furnish(stage)
      let refused = try await refusal {
        try await grant(
          "reader",
          on: shelf,
          to: "usr_rosa",
          .init(days: days, from: from, until: until, timeZone: zone),
          stage
        )
      }
      #expect(refused == Refusal(.invalidArgument, reason))
    }
  }

  @Test("A role that somebody must always have has no hours; one may need them by the policy")
  func grant_byRoleOfPolicy_needsOrRefusesHours() async throws {
    var policy = ReadingRoom.policy
    policy.replace(#""reader": {"#, with: #""reader": { "recurring": "required","#)
    policy.replace(
      #""role": "reader", "on": "city""#,
      with: #""role": "reader", "on": "city", "recurring": { "from": "00:00", "until": "24:00" }"#
    )
    try await TenancyStage.run(policy: [UInt8](policy.utf8)) { stage in
      let (library, shelf, _) = try await furnish(stage)
      let kept = try await refusal {
        try await grant("head_librarian", on: library, to: "usr_lena", Self.afternoons, stage)
      }
      #expect(kept == Refusal(.invalidArgument, "WINDOW_INVALID"))
      let missing = try await refusal {
        try await grant("reader", on: shelf, to: "usr_rosa", nil, stage)
      }
      #expect(missing == Refusal(.invalidArgument, "WINDOW_REQUIRED"))
      let everyDay = Tenancy_V1.RecurringWindow(from: "00:00", until: "24:00")
      let granted = try await grant("reader", on: shelf, to: "usr_rosa", everyDay, stage)
      #expect(granted.recurring?.days.count == 7 && granted.recurring?.timeZone == "UTC")
      #expect(granted.recurringOpen)
    }
    policy.replace(#""keep_one": true"#, with: #""keep_one": true, "recurring": "required""#)
    let error = #expect(throws: PolicyError.self) { try Policy.load([UInt8](policy.utf8)) }
    let problems = try #require(error).problems.map(\.problem)
    #expect(problems.contains { $0.contains("cannot be required of a role with keep_one") })
  }

  @Test("What is lent has the hours of its lender, and follows when these change")
  func lend_recurringLender_takesOverHours() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, book) = try await furnish(stage)
      let mornings = Tenancy_V1.RecurringWindow(from: "06:00", until: "13:00")
      try await grant("librarian", on: shelf, to: "usr_lena", Self.afternoons, stage)
      stage.clock.advance(30 * Self.minute)
      let lend = { (hours: Tenancy_V1.RecurringWindow?) in
        try await grant(
          "borrower",
          on: book,
          to: "usr_ben",
          hours,
          until: 10 * Self.day,
          by: "usr_lena",
          stage
        )
      }
      let refused = try await refusal { try await lend(mornings) }
      #expect(refused == Refusal(.failedPrecondition, "WINDOW_EXCEEDS_OWN"))
      #expect(try await lend(nil).recurring == Self.afternoons)
      let hours = {
        try await stage.roles.listByEntity(
          .init(entityId: book),
          options: .by(Self.hanna)
        ).associations.map(\.recurring)
      }
      #expect(try await hours() == [Self.afternoons])
      // Lena is there in the mornings from now on, when none of her passes are.
      try await grant(
        "librarian",
        on: shelf,
        to: "usr_lena",
        mornings,
        replacesWindow: true,
        stage
      )
      #expect(try await hours() == [])
    }
  }

  @Test("What was lent without hours takes over those that its lender gets")
  func lend_lenderGetsHours_narrowsPass() async throws {
    try await ReadingRoom.run { stage in
      let (_, shelf, book) = try await furnish(stage)
      try await grant("librarian", on: shelf, to: "usr_lena", nil, stage)
      try await grant(
        "borrower",
        on: book,
        to: "usr_ben",
        nil,
        until: 10 * Self.day,
        by: "usr_lena",
        stage
      )
      let mayRead = { try await stage.reason("usr_ben", "book.read", book) }
      #expect(try await mayRead() == .allowed)
      try await grant(
        "librarian",
        on: shelf,
        to: "usr_lena",
        Self.afternoons,
        replacesWindow: true,
        stage
      )
      #expect(try await mayRead() == .notYetValid)
      stage.clock.advance(30 * Self.minute)
      #expect(try await mayRead() == .allowed)
    }
  }

  @Test("Hours are there after a restart and under another policy; unreadable ones never open")
  func open_storedHours_areKept() async throws {
    let folder = try TestFolder()
    let text = [UInt8](ReadingRoom.policy.utf8)
    var newer = ReadingRoom.policy
    newer.replace(#""version": 1"#, with: #""version": 2"#)
    let other = [UInt8](newer.utf8)
    let always = Tenancy_V1.RecurringWindow(from: "00:00", until: "24:00")
    var book = ""
    try await TenancyStage.run(policy: text, in: folder) { stage in
      let library = try await furnish(stage)
      book = library.book
      try await grant("reader", on: library.shelf, to: "usr_rosa", Self.afternoons, stage)
      try await stage.service.reload { other }
      #expect(try await mayView(book, stage) == .notYetValid)
      stage.clock.advance(30 * Self.minute)
      #expect(try await mayView(book, stage) == .allowed)
      try await grant(
        "reader",
        on: library.shelf,
        to: "usr_rosa",
        always,
        replacesWindow: true,
        stage
      )
    }
    try await TenancyStage.run(policy: text, in: folder) { stage in
      #expect(try await mayView(book, stage) == .allowed)
      try await stage.service.database.write { tx in
        try tx.execute("UPDATE association SET recurring = '127 0 24:00 UTC' WHERE role = 'reader'")
      }
    }
    try await TenancyStage.run(policy: text, in: folder) { stage in
      let reason = try await mayView(book, stage)
      #expect(reason == .noAssociation)
    }
  }

  @Test("A window whose zone is not there is never open, and the forest says which zone it is")
  func forest_zoneMissing_staysClosed() throws {
    let policy = try PolicyFile.smartHome()
    var forest = Forest(policy: policy)
    let role = try #require(policy.role(named: "owner"))
    let type = try #require(policy.type(named: "portfolio"))
    forest.apply(
      .putEntity(
        EntityRow(id: "prt_1", type: type, parent: Forest.systemIdentifier, name: "", codes: [])
      )
    )
    let put = { (zone: String) in
      RecurringWindow(days: .all, from: 0, until: 1440, timeZone: zone).map {
        AssociationRow(id: "asc_1", subject: "usr_1", role: role, entity: "prt_1", recurring: $0)
      }
    }
    let reason = { (forest: Forest) in
      forest.decide(
        subject: "usr_1",
        action: try #require(policy.action(named: "portfolio.view")),
        entity: "prt_1",
        context: .plain,
        now: TenancyStage.start
      ).reason
    }
    forest.apply(.putAssociation(try #require(put("Europe/Berlin"))))
    #expect(try reason(forest) == .notYetValid && forest.missingZones == ["Europe/Berlin"])
    forest.apply(.putAssociation(try #require(put("UTC"))))
    #expect(try reason(forest) == .allowed)
  }

  @Test("The change log reads what it writes, and what it wrote before there were hours")
  func changeLog_association_roundTrips() throws {
    let policy = try PolicyFile.smartHome()
    let role = try #require(policy.role(named: "owner"))
    let window = RecurringWindow(days: .all, from: 60, until: 1440, timeZone: "Asia/Tokyo")
    for recurring in [nil, window] {
      let change = ForestChange.putAssociation(
        AssociationRow(
          id: "asc_1",
          subject: "usr_1",
          role: role,
          entity: "prt_1",
          validFrom: 5,
          recurring: recurring
        )
      )
      #expect(
        ForestChange(kind: change.kind, payload: change.payload(policy), policy: policy) == change
      )
    }
    let read = { (last: String) in
      ForestChange(
        kind: "association.put",
        payload: [UInt8](#"["asc_1","usr_1","owner","prt_1",5,9\#(last)]"#.utf8),
        policy: policy
      )
    }
    let row = AssociationRow(
      id: "asc_1",
      subject: "usr_1",
      role: role,
      entity: "prt_1",
      validFrom: 5,
      validUntil: 9
    )
    #expect(read("") == .putAssociation(row))
    #expect(read(#","127 0 0 UTC""#) == nil)
  }
}
