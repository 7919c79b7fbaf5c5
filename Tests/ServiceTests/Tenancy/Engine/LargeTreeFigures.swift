import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import TenancyService

/// How long questions wait for a large tree; prints figures, so it runs by `LARGE_TREE_COUNT=200000` alone.
@Suite
struct LargeTreeFigures {
  private static let deviceCount =
    ProcessEnvironment.variables["LARGE_TREE_COUNT"].flatMap { Int($0) } ?? 0

  @Test(
    "The first decision in a large tree, with parts of it and without",
    .enabled(if: LargeTreeFigures.deviceCount > 0),
    arguments: [50_000, Int.max]
  )
  func firstDecision(smallTreeCountMax: Int) async throws {
    try await TenancyStage.run(smallTreeCountMax: smallTreeCountMax) { stage in
      let homes = [try await Building(stage, name: "a"), try await Building(stage, name: "b")]
      try await addDevices(to: homes[0], stage)
      let engine = stage.service.engine
      for home in homes { engine.release(root: home.portfolio) }
      let ask = { (home: Building) async throws -> Double in
        let clock = ContinuousClock()
        var options = CallOptions.by(home.tenant)
        options.timeout = .seconds(300)
        let duration = try await clock.measure { [options] in
          let decision = try await stage.permissions.check(
            .init(action: "device.view", entityId: home.door),
            options: options
          )
          #expect(decision.allowed)
        }
        return duration / .milliseconds(1)
      }
      let small = try await ask(homes[1])
      let first = try await ask(homes[0])
      // While the tree comes, both are asked again and again.
      var (waits, others): ([Double], [Double]) = ([], [])
      while !engine.holds(root: homes[0].portfolio) {
        waits.append(try await ask(homes[0]))
        others.append(try await ask(homes[1]))
      }
      let last = try await ask(homes[0])
      print(
        """
        devices: \(Self.deviceCount), questions wait for trees of up to \(smallTreeCountMax)
        first decision in a small tree: \(small) ms
        first decision in the large tree: \(first) ms
        \(waits.count) more until it was in memory, median \(Self.median(waits)), \
        the slowest \(waits.max() ?? 0) ms
        beside them in the small tree, median \(Self.median(others)), \
        the slowest \(others.max() ?? 0) ms
        a decision in memory: \(last) ms
        """
      )
    }
  }

  private static func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
  }

  private func addDevices(to home: Building, _ stage: TenancyStage) async throws {
    try await stage.service.database.write { tx in
      try tx.execute(
        """
        INSERT INTO entity (id, type, parent_id, root_id, name, attributes, desired_state, desired,
          revision, created_at, updated_at)
        WITH RECURSIVE numbers (number) AS (
          SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < ? - 1)
        SELECT 'dev_' || (100000000 + number), 'device', ?, ?, 'd', '{}', '', '', 0, 0, 0
        FROM numbers
        """,
        values: [.integer(Self.deviceCount), .text(home.property), .text(home.portfolio)]
      )
    }
  }
}
