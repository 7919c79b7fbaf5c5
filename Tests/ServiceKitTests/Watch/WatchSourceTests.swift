import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Telling watchers of changes")
struct WatchSourceTests {
  @Test("Changes are told as they happen, and heartbeats come while nothing does")
  func tell_changes_andHeartbeats() throws {
    let stage = try WatchStage(seed: 1)
    let lines = try stage.heard(for: .seconds(8)) { log, loop in
      await loop.sleep(.milliseconds(1500))
      log.change()
      log.change()
      await loop.sleep(.milliseconds(4000))
      log.change()
    }
    #expect(
      lines == [
        "0 heartbeat 0", "1 subject 1", "1 subject 2", "4 heartbeat 2", "5 subject 3",
      ]
    )
    try stage.close()
  }

  @Test("What was missed comes first, all of it, and a watcher that is too far behind is told so")
  func tell_behind_catchesUp() throws {
    let stage = try WatchStage(seed: 2)
    for _ in 0..<10 { stage.log.change() }
    let lines = try stage.heard(after: 3, for: .seconds(1)) { _, _ in }
    #expect(lines == ["0 heartbeat 3"] + (4...10).map { "0 subject \($0)" })
    stage.log.keptAfter = 5
    let late = try stage.heard(after: 3, for: .seconds(1)) { _, _ in }
    #expect(late == ["0 heartbeat 3", "0 resync 10"])
    try stage.close()
  }

  @Test("Changes that nobody need hear of do not put heartbeats off")
  func tell_muteChanges_heartbeatsCome() throws {
    let stage = try WatchStage(seed: 3)
    let lines = try stage.heard(for: .milliseconds(9500)) { log, loop in
      for _ in 0..<9 {
        await loop.sleep(.milliseconds(1000))
        log.change(isMute: true)
      }
    }
    try #require(lines.count == 4)
    #expect(
      lines.map { $0.prefix(11) } == ["0 heartbeat", "3 heartbeat", "6 heartbeat", "9 heartbeat"]
    )
    try stage.close()
  }

  @Test("A heartbeat does not move a watcher past a change that it was not told of")
  func tell_newsAtHeartbeat_isNotSkipped() throws {
    let stage = try WatchStage(seed: 4)
    stage.log.change()
    let lines = try stage.heard(for: .seconds(4)) { log, loop in
      await loop.sleep(.seconds(1))
      log.isDeaf = true
      log.change()
    }
    #expect(lines == ["0 heartbeat 1", "3 heartbeat 1", "3 subject 2"])
    try stage.close()
  }

  @Test("The stream ends when there will be nothing more to tell")
  func tell_sourceEnds_ends() throws {
    let stage = try WatchStage(seed: 5)
    let lines = try stage.heard(for: .seconds(2)) { log, loop in
      await loop.sleep(.seconds(1))
      log.change()
      log.end()
    }
    #expect(lines == ["0 heartbeat 0", "1 subject 1", "end"])
    try stage.close()
  }
}
