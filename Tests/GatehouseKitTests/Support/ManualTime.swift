import Foundation
import GatehouseKit
import Synchronization

/// Clocks that a test sets.
final class ManualTime: Timekeeper {
  private struct State {
    var wall = Date(timeIntervalSince1970: 1_800_000_000)
    var uptime = Duration.seconds(1000)
    var sleepers: [Int: (until: Duration, wake: CheckedContinuation<Void, any Error>)] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  var wall: Date { state.withLock(\.wall) }
  var uptime: Duration { state.withLock(\.uptime) }

  /// How many wait for an instant.
  var sleeperCount: Int { state.withLock(\.sleepers.count) }

  /// Lets time pass, and wakes those whose instant has come.
  func advance(by seconds: Double) {
    let woken = state.withLock { state in
      state.wall += seconds
      state.uptime += .seconds(seconds)
      let due = state.sleepers.filter { $0.value.until <= state.uptime }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.map(\.wake)
    }
    for wake in woken { wake.resume() }
  }

  /// Somebody sets the device's clock.
  func setWall(by seconds: Double) { state.withLock { $0.wall += seconds } }

  func wait(until uptime: Duration) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wake in
        let isOver = state.withLock { state in
          guard !Task.isCancelled, state.uptime < uptime else { return true }
          state.sleepers[number] = (uptime, wake)
          return false
        }
        if isOver {
          wake.resume(with: Result { try Task.checkCancellation() })
        }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
      sleeper?.wake.resume(throwing: CancellationError())
    }
  }
}

/// Something that opens once, and that others wait for.
final class Latch: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}

/// Returns once something holds that other tasks bring about; gives up after many turns.
func eventually(_ holds: () async -> Bool) async -> Bool {
  for _ in 0..<100_000 {
    if await holds() { return true }
    await Task.yield()
  }
  return false
}
