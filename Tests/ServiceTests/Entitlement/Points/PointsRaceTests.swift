import PeerContracts
import EntitlementContracts
import RPCKit
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Points that many callers change at once")
struct PointsRaceTests {
  private static let callerCount = 64

  /// What the callers of one race are told, and what they may refer to.
  private struct Log {
    var deeds: [String: PointsModel.Deed] = [:]
    var answers: [String: Entitlement_V1.PointsTransaction] = [:]
    var order: [String] = []

    mutating func note(_ deed: PointsModel.Deed, _ answer: Entitlement_V1.PointsTransaction) {
      if answers.updateValue(answer, forKey: answer.id) == nil { order.append(answer.id) }
      deeds[answer.id] = deed
    }
  }

  private final class SharedLog: Sendable {
    private let log = Lock(Log())

    var current: Log { log.withLock { $0 } }

    func note(_ deed: PointsModel.Deed, _ answer: Entitlement_V1.PointsTransaction) {
      log.withLock { $0.note(deed, answer) }
    }
  }

  @Test("Of many who redeem the same points at once one gets them", arguments: 0..<5)
  func redeem_samePoints_succeedsOnce(round: Int) async throws {
    try await PointsFamily.run { family in
      try await family.give(30 + Int64(round), of: "reading")
      let outcomes = await withTaskGroup(of: String?.self) { group in
        for _ in 0..<Self.callerCount {
          group.addTask {
            await Refused.by { try await family.redeem([("reading", 30)]) }.reason
          }
        }
        return await group.reduce(into: [String?]()) { $0.append($1) }
      }
      #expect(outcomes.filter { $0 == nil }.count == 1)
      #expect(outcomes.filter { $0 == "INSUFFICIENT_POINTS" }.count == Self.callerCount - 1)
      #expect(try await family.balances()["reading"] == Int64(round))
      #expect(try await family.rewards() == ["": 1800])
      #expect(try await family.findings() == [])
    }
  }

  @Test("Sixty-four callers on shared accounts leave what one caller after the other would")
  func random_manyCallers_agreeWithModel() async throws {
    let seed = SeededGenerator.seed("POINTS_SEED")
    try await PointsFamily.run { family in
      let holders = ["chd_mia", "chd_tom", "chd_zoe"]
      let families = holders.map { PointsFamily(fixture: family.fixture, holder: $0) }
      for family in families {
        try await family.setRule("math", earns: 2, costs: 3)
        try await family.setRule("reading", earns: 1, costs: 1)
      }
      let logs = holders.map { _ in SharedLog() }
      await withTaskGroup(of: Void.self) { group in
        for caller in 0..<Self.callerCount {
          group.addTask {
            var random = SeededGenerator(state: seed &+ UInt64(caller))
            for number in 0..<12 {
              let place = Int.random(in: 0..<holders.count, using: &random)
              let deed = Self.deed(&random, logs[place].current.order)
              let key = Bool.random(using: &random) ? "\(caller) \(number)" : ""
              await Self.perform(deed, key, families[place], logs[place], seed)
            }
          }
        }
      }
      for (family, log) in zip(families, logs) {
        try await Self.compare(family, log.current, seed)
      }
      #expect(try await family.findings() == [], "POINTS_SEED \(seed)")
    }
  }

  private static func deed(
    _ random: inout SeededGenerator,
    _ known: [String]
  ) -> PointsModel.Deed {
    let apps = ["math", "reading"].shuffled(using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<4:
      return .earn(app: apps[0], minutes: Int64.random(in: 1...20, using: &random))
    case 4..<8:
      let count = Int.random(in: 1...2, using: &random)
      var parts: [(app: String, points: Int64?)] = []
      for app in apps.prefix(count) {
        let isAll = Bool.random(using: &random)
        parts.append((app, isAll ? nil : Int64.random(in: 1...20, using: &random)))
      }
      return .redeem(parts: parts, reward: ["games", "music"].randomElement(using: &random) ?? "")
    default: return .reverse(id: known.randomElement(using: &random) ?? "ptx_none")
    }
  }

  /// Makes a call, twice at once if it has a key, and notes what was done.
  private static func perform(
    _ deed: PointsModel.Deed,
    _ key: String,
    _ family: PointsFamily,
    _ log: SharedLog,
    _ seed: UInt64
  ) async {
    @Sendable func call() async -> Result<Entitlement_V1.PointsTransaction, RPCError> {
      do {
        switch deed {
        case .earn(let app, let minutes):
          return .success(try await family.earn(app, minutes: UInt32(minutes), key: key))
        case .redeem(let parts, let reward):
          return .success(try await family.redeem(parts, for: reward, key: key))
        case .reverse(let id): return .success(try await family.reverse(id, key: key))
        }
      } catch let error as RPCError {
        return .failure(error)
      } catch {
        return .failure(RPCError(.unknown, "\(error)"))
      }
    }
    let answer: Result<Entitlement_V1.PointsTransaction, RPCError>
    if key.isEmpty {
      answer = await call()
    } else {
      async let other = call()
      answer = await call()
      let same = await other
      #expect(
        (try? same.get()) == (try? answer.get()),
        "two answers under one key, POINTS_SEED \(seed)"
      )
    }
    switch answer {
    case .success(let transaction):
      // A reversal that was there already is somebody else's.
      log.note(deed, transaction)
    case .failure(let error):
      #expect(
        error.code == .failedPrecondition || error.code == .notFound,
        "\(deed): \(error), POINTS_SEED \(seed)"
      )
    }
  }

  /// Replays the transactions in the order of the ledger on the model.
  private static func compare(_ family: PointsFamily, _ log: Log, _ seed: UInt64) async throws {
    var model = PointsModel(rates: ["math": (2, 3), "reading": (1, 1)])
    let history = try await family.history()
    #expect(history.map(\.number) == (0..<history.count).map { Int64($0 + 1) })
    var ids: [String] = []
    for entry in history where ids.last != entry.transactionId { ids.append(entry.transactionId) }
    #expect(Set(ids).count == ids.count, "a transaction is in two pieces, POINTS_SEED \(seed)")
    // Whatever is in the ledger was answered, and the other way round.
    #expect(Set(ids) == Set(log.answers.keys), "POINTS_SEED \(seed)")
    for id in ids {
      let entries = history.filter { $0.transactionId == id }
      #expect(entries == log.answers[id]?.entries, "POINTS_SEED \(seed)")
      let deed = try #require(log.deeds[id])
      let expected = model.apply(deed, as: id)
      #expect(expected == entries.map(PointsModel.Line.init), "\(deed), POINTS_SEED \(seed)")
    }
    let balances = try await family.balances()
    #expect(balances == model.balances.merging(["math": 0, "reading": 0]) { first, _ in first })
    let minutes = try await family.rewards().mapValues { $0 / 60 }
    #expect(minutes == model.rewardMinutes.filter { $0.value > 0 }, "POINTS_SEED \(seed)")
  }
}
