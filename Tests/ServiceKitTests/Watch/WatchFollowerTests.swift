import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Following changes over a network")
struct WatchFollowerTests {
  @Test("A stream that is open and says nothing is cut after the lease, and the next one goes on")
  func follow_silence_isCut() throws {
    let stage = try WatchStage(seed: 1)
    let mirror = Mirror(stage.log)
    let following = stage.simulation.start(on: mirror.loop) { await mirror.follow(stage.channel) }
    stage.log.change()
    try stage.simulation.run(for: .seconds(4))
    #expect(mirror.metric("live") == "1")
    let heard = mirror.position
    stage.network.silence(WatchStage.address)
    stage.log.change()
    try stage.simulation.run(for: .seconds(9))
    #expect(mirror.lostCount == 0)
    #expect(mirror.metric("live") == "1", "the lease is not over")
    try stage.simulation.run(for: .seconds(2))
    #expect(mirror.lostCount >= 1, "nothing came for ten seconds")
    #expect(mirror.metric("live") == "0")
    #expect(mirror.metric("endings_total", #"watch="log",reason="silent""#) == "1")
    #expect(mirror.position == heard)
    stage.network.heal()
    try stage.simulation.run(for: .seconds(20))
    #expect(mirror.position == stage.log.newest)
    #expect(mirror.anewCount == 2, "the lease was over")
    #expect(mirror.lines == ["lost", "resumed"])
    #expect(mirror.problems == [])
    following.cancel()
    try stage.close()
  }

  @Test("Expired credentials are renewed quietly, without a gap")
  func follow_credentialsExpire_goesOn() throws {
    let stage = try WatchStage(seed: 2)
    stage.log.credentialLifetime = .seconds(20)...(.seconds(20))
    let mirror = Mirror(stage.log)
    let following = stage.simulation.start(on: mirror.loop) { await mirror.follow(stage.channel) }
    for second in 0..<90 {
      try stage.simulation.run(for: .seconds(1))
      if second.isMultiple(of: 7) { stage.log.change() }
      #expect(mirror.lease.isLive(at: stage.simulation.now), "blind at second \(second)")
    }
    try stage.simulation.run(for: .seconds(1))
    #expect(mirror.position == stage.log.newest)
    #expect(stage.log.openings.count == 5)
    #expect(mirror.anewCount == 1 && mirror.lostCount == 0)
    #expect(mirror.lines == [])
    #expect(
      mirror.metric("endings_total", #"watch="log",reason="credentials_expired""#) == "4"
    )
    #expect(mirror.problems == [])
    following.cancel()
    try stage.close()
    #expect(mirror.lostCount == 1, "at the end nothing is heard any more")
  }

  @Test("Credentials that are refused before anything was said are no loop")
  func follow_credentialsRefused_backsOff() throws {
    let (openingCount, lines) = try followed(failingWith: IdentityError.proofEnded)
    // Half of 100, 200, … 3200 ms and then of 5 s: 3.15 s, and one each 2.5 s.
    #expect(openingCount == 29)
    #expect(lines.count == 1)
    #expect(lines.first?.contains(#""level":"warning""#) == true)
  }

  @Test("A peer that is away is no second warning beside the channel's, and the line says why")
  func follow_peerAway_doesNotWarn() throws {
    let cause = TransportError(.connectFailed, "10.0.0.1:4040: connection refused")
    let (_, lines) = try followed(failingWith: RPCError(.unavailable, "no server", cause: cause))
    #expect(lines.count == 1)
    let line = lines.first ?? ""
    #expect(line.contains(#""level":"info""#) && line.contains("10.0.0.1:4040: connection refused"))
  }

  /// How often a stream that always ends with `error` is opened in a minute, and what is logged.
  private func followed(failingWith error: RPCError) throws -> (openingCount: Int, lines: [String])
  {
    let stage = try WatchStage(seed: 3)
    let loop = stage.simulation.loop("refused")
    let openings = OpeningCount()
    let sink = CollectingSink()
    let follower = WatchFollower(
      "refused",
      lease: .seconds(10),
      loop: loop,
      random: HalfRandom(),
      logger: Logger(label: "test", level: .trace, sink: sink)
    )
    let following = stage.simulation.start(on: loop) {
      await follower.run(
        open: { (_: Int?) in
          openings.value += 1
          return AsyncThrowingStream<Int, any Error> { $0.finish(throwing: error) }
        },
        apply: { event, _ in event }
      )
    }
    try stage.simulation.run(for: .seconds(60))
    following.cancel()
    try stage.close()
    return (openings.value, sink.lines)
  }

  @Test(
    "However connections break, no change is missed or believed away for long, and calm heals all",
    arguments: 1...60 as ClosedRange<UInt64>
  )
  func follow_faults_missesNothing(seed: UInt64) throws {
    var faults = FaultPlan()
    faults.cut = 0.02
    faults.silence = 0.02
    faults.refusal = 0.1
    faults.lostConnect = 0.1
    let stage = try WatchStage(seed: seed, faults: faults)
    stage.log.credentialLifetime = .seconds(5)...(.seconds(60))
    let mirror = Mirror(stage.log)
    let following = stage.simulation.start(on: mirror.loop) { await mirror.follow(stage.channel) }
    var longest = Duration.zero
    for _ in 0..<600 {
      try stage.simulation.run(for: .milliseconds(500))
      // Bursts, pauses, changes that are not told, and a log that forgets.
      for _ in 0..<stage.simulation.random.skewedNumber(in: 0...6) {
        stage.log.change(isMute: stage.simulation.random.chance(0.3))
      }
      if stage.simulation.random.chance(0.01) { stage.log.keptAfter = stage.log.newest }
      longest = max(longest, mirror.staleness)
    }
    // The lease, and as much for what was sent before a silence and came after it.
    #expect(longest <= .seconds(30), "a change was believed away for \(longest)")
    stage.network.faults = .calm
    stage.network.heal()
    try stage.simulation.run(for: .seconds(60))
    #expect(!stage.log.hasTold(after: mirror.position ?? 0, through: stage.log.newest))
    #expect(mirror.lease.isLive(at: stage.simulation.now))
    #expect(mirror.problems == [])
    let lines = mirror.lines
    #expect(lines.enumerated().allSatisfy { $1 == ($0.isMultiple(of: 2) ? "lost" : "resumed") })
    #expect(lines.last != "lost", "it says so when changes are heard again")
    following.cancel()
    try stage.close()
    #expect(stage.simulation.timerLines == [])
  }
}

/// How often a stream was opened; `@unchecked Sendable`: confined to the simulation's thread.
private final class OpeningCount: @unchecked Sendable {
  var value = 0
}

/// Always the middle.
private struct HalfRandom: RandomSource {
  func bytes(_ count: Int) -> [UInt8] { [0x80] + [UInt8](repeating: 0, count: count - 1) }
}
