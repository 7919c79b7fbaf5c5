import TenancyContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

extension RightRaceTests {
  /// A way in which an owner goes.
  private enum Departure: CaseIterable, Sendable {
    case leaves, isRemoved, getsEnd, beginsDeletion
  }

  @Test("Of owners who all go at once, by whatever way, one stays who can act for good")
  func owners_allGoAtOnce_oneStays() async throws {
    let seed = SeededGenerator.seed("RACE_SEED")
    var random = SeededGenerator(state: seed)
    try await TenancyStage.run { stage in
      for world in 0..<60 {
        let owners = (0..<3).map { "usr_\(world)_\($0)" }
        let portfolio = try await stage.portfolios.create(
          .init(name: "P"),
          options: .by(owners[0])
        ).id
        for owner in owners.dropFirst() {
          try await stage.grant("owner", on: portfolio, to: owner, by: owners[0])
        }
        let hold = await WriterHold(stage.service.database)
        var waiting: [Task<Void, Never>] = []
        for owner in owners.shuffled(using: &random) {
          let way = Departure.allCases.randomElement(using: &random) ?? .leaves
          let other = owners.randomElement(using: &random) ?? owner
          waiting.append(
            await WriterHold.queue(in: stage.service.database) {
              // Refused for the last one; what stays is looked at below.
              _ = try? await Self.depart(owner, way, by: other, portfolio, stage)
            }
          )
        }
        try await hold.end()
        for task in waiting { await task.value }
        // By what the store has, not by the rule that is tested.
        let remains = try await stage.service.database.read { tx in
          try tx.exists(
            """
            SELECT 1 FROM association WHERE entity_id = ? AND role = 'owner'
              AND valid_until IS NULL AND user_id NOT IN (SELECT user_id FROM account_state)
            """,
            .text(portfolio)
          )
        }
        #expect(remains, "world \(world), RACE_SEED \(seed)")
      }
    }
  }

  private static func depart(
    _ owner: String,
    _ way: Departure,
    by other: String,
    _ portfolio: String,
    _ stage: TenancyStage
  ) async throws {
    switch way {
    case .leaves:
      _ = try await stage.roles.leave(.init(entityId: portfolio), options: .by(owner))
    case .isRemoved:
      _ = try await stage.roles.revoke(
        .init(entityId: portfolio, role: "owner", userId: owner),
        options: .by(other)
      )
    case .getsEnd:
      _ = try await stage.roles.grant(
        .init(
          role: .init(
            entityId: portfolio,
            role: "owner",
            userId: owner,
            validUntil: .init(milliseconds: TenancyStage.start + 3_600_000),
            replaceWindow: true
          )
        ),
        options: .by(other)
      )
    case .beginsDeletion:
      _ = try await Tenancy_V1.ErasureClient(stage.channel).setAccountState(
        .init(userId: owner, version: 1, deletionBegun: true, refuseLast: true),
        options: .byService("auth")
      )
    }
  }
}
