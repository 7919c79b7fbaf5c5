import TenancyContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// Random histories of a smart home: what Check answers at some instants, and what it answers about
/// these instants at the end.
@Suite("Answers about the past are those that were given then")
struct AsOfOracleTests {
  private static let roundCount =
    ProcessEnvironment.variables["AS_OF_ROUNDS"].flatMap { Int($0) } ?? 24
  private static let service = CallOptions.byService("gateway")
  private static let administrator = CallOptions.by("usr_super")

  private struct Answer {
    let instant: Int64
    let question: Tenancy_V1.CheckRequest
    let decision: Tenancy_V1.Decision
  }

  @Test("Every answer is the same later, whatever was changed or deleted since", arguments: 1...2)
  func asOf_randomHistory_equalsAnswersOfThatTime(seed: Int) async throws {
    try await TenancyStage.run { stage in
      var forest = try await StoredForest(stage, seed: UInt64(seed))
      var generator = SeededGenerator(state: UInt64(seed) &+ 1000)
      var ids = try await Self.entityIDs(stage)
      var answers: [Answer] = []
      for _ in 0..<Self.roundCount {
        // Passes end after a thousand seconds, and are granted until then.
        let step = max(1, 900_000 / Int64(Self.roundCount))
        stage.clock.advance(Int64.random(in: 1...step, using: &generator))
        // Whoever is suspended makes nothing.
        try await Self.resumeAll(stage)
        for _ in 0..<4 { try await forest.grow() }
        try await Self.change(stage, &generator)
        if Int.random(in: 0..<4, using: &generator) == 0,
          let deletion = try await forest.randomDeletion()
        {
          _ = try await forest.delete(deletion, isDryRun: false)
        }
        ids = Array(Set(ids).union(try await Self.entityIDs(stage))).sorted()
        answers += try await Self.ask(about: ids, stage, &generator)
      }
      var allowedCount = 0
      for answer in answers {
        var question = answer.question
        question.asOf = .init(milliseconds: answer.instant)
        let past = try await stage.permissions.check(question, options: Self.service)
        var expected = answer.decision
        (expected.validUntil, expected.revision) = (nil, past.revision)
        // Of two units that have a device in common either can be named.
        if past.role == "tenant", expected.role == "tenant" {
          expected.associationId = past.associationId
          expected.viaEntityId = past.viaEntityId
        }
        #expect(past == expected, "\(question) with seed \(seed)")
        if past.allowed { allowedCount += 1 }
      }
      let gone = Set(ids).subtracting(try await Self.entityIDs(stage))
      #expect(answers.contains { $0.decision.allowed && gone.contains($0.question.entityId) })
      #expect((answers.count / 10...answers.count * 9 / 10).contains(allowedCount))
    }
  }

  private static func resumeAll(_ stage: TenancyStage) async throws {
    let suspended = try await stage.service.database.read { tx in
      try tx.query("SELECT user_id FROM suspension") { $0.text(0) }
    }
    for user in suspended {
      _ = try await stage.subjects.resume(.init(userId: user), options: administrator)
    }
  }

  /// Entities that are there.
  private static func entityIDs(_ stage: TenancyStage) async throws -> [String] {
    try await stage.service.database.read { tx in
      try tx.query("SELECT id FROM entity WHERE id <> 'sys_root'") { $0.text(0) }
    }
  }

  /// Questions about everything and everybody, mostly where somebody has a role, with their answers now.
  private static func ask(
    about ids: [String],
    _ stage: TenancyStage,
    _ generator: inout SeededGenerator
  ) async throws -> [Answer] {
    let held = try await stage.service.database.read { tx in
      try tx.query(
        """
        SELECT a.user_id, coalesce(l.to_id, e.id) FROM association a
        LEFT JOIN entity e ON e.id = a.entity_id OR e.parent_id = a.entity_id
        LEFT JOIN entity_link l ON l.from_id = a.entity_id WHERE a.user_id <> 'usr_super'
        ORDER BY a.added, e.id, l.to_id
        """
      ) { ($0.text(0), $0.text(1)) }
    }
    let actions = [
      "device.view", "device.lock", "device.unlock", "device.grant_guest", "unit.view",
      "property.view", "portfolio.view", "portfolio.update",
    ]
    var questions: [Tenancy_V1.CheckRequest] = []
    for _ in 0..<25 {
      var user = StoredForest.userIDs.randomElement(using: &generator) ?? ""
      var id = ids.randomElement(using: &generator) ?? ""
      if Int.random(in: 0..<5, using: &generator) > 0,
        let pair = held.randomElement(using: &generator)
      {
        (user, id) = pair
      }
      let type = id.prefix(3)
      let fitting = actions.filter { action in
        switch type {
        case "dev": action.hasPrefix("device")
        case "unt": action.hasPrefix("unit")
        case "prp": action.hasPrefix("property")
        default: action.hasPrefix("portfolio")
        }
      }
      let action = fitting.randomElement(using: &generator) ?? "device.view"
      questions.append(.init(subjectId: user, action: action, entityId: id))
    }
    let decisions = try await stage.permissions.batchCheck(
      .init(checks: questions),
      options: Self.service
    ).decisions
    return zip(questions, decisions).map {
      Answer(instant: stage.clock.now, question: $0, decision: $1)
    }
  }

  /// One change of what growing and deleting leave alone.
  private static func change(
    _ stage: TenancyStage,
    _ generator: inout SeededGenerator
  ) async throws {
    let user = StoredForest.userIDs.randomElement(using: &generator) ?? ""
    let choice = Int.random(in: 0..<4, using: &generator)
    let sql = """
      SELECT a.user_id, a.entity_id FROM association a WHERE a.role = 'tenant'
      ORDER BY a.added
      """
    let tenants = try await stage.service.database.read { tx in
      try tx.query(sql) { ($0.text(0), $0.text(1)) }
    }
    let devices = try await stage.service.database.read { tx in
      try tx.query("SELECT id FROM entity WHERE type = 'device' ORDER BY created_at, id") {
        $0.text(0)
      }
    }
    let tenant = tenants.randomElement(using: &generator)
    let device = devices.randomElement(using: &generator)
    switch (choice, tenant, device) {
    case (0, let (tenant, unit)?, _):
      _ = try await stage.units.removeTenant(
        .init(unitId: unit, userId: tenant),
        options: administrator
      )
    case (1, let (tenant, unit)?, _):
      _ = try await stage.roles.grant(
        .init(
          role: .init(
            entityId: unit,
            role: "tenant",
            userId: tenant,
            replaceWindow: true,
            recurring: .init(from: "17:40", until: "17:55", timeZone: "Asia/Kolkata")
          )
        ),
        options: administrator
      )
    case (2, _, let device?):
      _ = try await stage.devices.reportState(
        .init(
          deviceId: device,
          attributes: .init(
            fields: ["online": .init(kind: .boolValue(Bool.random(using: &generator)))]
          )
        ),
        options: .byService("bridge")
      )
    default: _ = try await stage.subjects.suspend(.init(userId: user), options: administrator)
    }
  }
}
