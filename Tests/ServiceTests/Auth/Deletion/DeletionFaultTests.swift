import PeerContracts
import AuthContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

/// Random histories: calls of peers fail, lose their answers or have to be repeated, the service is stopped
/// in between, and some users change their minds.
@Suite("Deleting accounts while everything fails")
struct DeletionFaultTests {
  /// More with the environment: `DELETION_SEEDS=10000`.
  private static let seedCount =
    ProcessInfo.processInfo.environment["DELETION_SEEDS"].flatMap { Int($0) } ?? 60
  /// Users of one history, and runs of the service in it.
  private static let (userCount, runCount) = (10, 3)

  /// What becomes of a user.
  private enum Wish: Hashable {
    case stay
    case go
    /// Asks to go and takes that back.
    case goAndStay
  }

  @Test("Each deletion ends, nothing of its user is left, and nobody else loses anything")
  func deletions_withFaults_end() async throws {
    // One history for ten seeds: each user is one.
    for history in 0..<max(1, Self.seedCount / Self.userCount) {
      try await run(seed: UInt64(history) &+ 1)
    }
  }

  private func run(seed: UInt64) async throws {
    var random = SimulationRandom(seed: seed)
    var ground = try AuthStage.Ground()
    ground.settings.deletion.grace = 3_600_000
    ground.settings.sourceLimits.signUps = 1000
    ground.settings.sourceLimits.signIns = 1000
    let wishes = (0..<Self.userCount).map { _ -> Wish in
      [.stay, .go, .go, .go, .goAndStay][Int(random.next() % 5)]
    }
    let faults = Lock(SimulationRandom(seed: random.next()))
    ground.peers.change { state in
      state.erasureFault = { _ in
        switch faults.withLock({ $0.next() }) % 8 {
        case 0, 1: .refused
        case 2: .answerLost
        case 3: .repeated
        default: nil
        }
      }
    }
    let ids = try await AuthStage.run(on: ground) { stage in
      var ids: [String] = []
      for user in 0..<Self.userCount {
        ids.append(try #require(try await stage.signUp(Self.address(user)).user?.id))
      }
      return ids
    }
    let asked = try await AuthStage.run(on: ground) { stage in
      try await ask(wishes, on: stage)
    }
    for _ in 0..<Self.runCount {
      try await AuthStage.run(on: ground) { stage in
        ground.clock.advance(3_600_000)
        await stage.workOffDeletions()
      }
    }
    ground.peers.change { $0.erasureFault = nil }
    try await AuthStage.run(on: ground) { stage in
      for _ in 0..<2 {
        ground.clock.advance(3_600_000)
        await stage.workOffDeletions()
      }
      for (user, wish) in wishes.enumerated() {
        let signIn = await outcome { _ = try await stage.signIn(Self.address(user)) }
        #expect(
          signIn == (wish == .go ? "UNAUTHENTICATED INVALID_CREDENTIALS" : "OK"),
          "seed \(seed), user \(user)"
        )
        let erased = ground.peers.read { state in
          ["tenancy", "entitlement"].filter { state.erased.contains("\($0) \(ids[user])") }
        }
        #expect(erased.count == (wish == .go ? 2 : 0), "seed \(seed), user \(user)")
        guard wish == .go, let id = asked[user] else { continue }
        let deletion = try await Auth_V1.DeletionsClient(stage.channel).getDeletion(
          .init(deletionId: id)
        )
        #expect(deletion.state == .done, "seed \(seed), user \(user)")
      }
    }
    try requireNothingLeft(of: zip(ids, wishes).filter { $0.1 == .go }.map(\.0), ground, seed)
  }

  private static func address(_ user: Int) -> String { "user\(user)@example.org" }

  /// Has users ask for what they want; the identifiers of the deletions.
  private func ask(_ wishes: [Wish], on stage: AuthStage) async throws -> [Int: String] {
    let client = Auth_V1.DeletionsClient(stage.channel)
    var deletions: [Int: String] = [:]
    for (user, wish) in wishes.enumerated() where wish != .stay {
      let session = try await stage.signIn(Self.address(user))
      deletions[user] = try await client.deleteAccount(.init(), options: stage.with(session)).id
      guard wish == .goAndStay else { continue }
      let again = try await stage.signIn(Self.address(user))
      _ = try await client.cancelDeletion(.init(), options: stage.with(again))
    }
    return deletions
  }

  private func requireNothingLeft(
    of ids: [String],
    _ ground: AuthStage.Ground,
    _ seed: UInt64
  ) throws {
    for file in try FileManager.default.contentsOfDirectory(atPath: ground.folder.path) {
      guard let bytes = FileManager.default.contents(atPath: "\(ground.folder.path)/\(file)") else {
        continue
      }
      for id in ids {
        #expect(bytes.range(of: Data(id.utf8)) == nil, "seed \(seed): \(id) in \(file)")
      }
    }
  }
}
