internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Counts refused calls until the next time they are stored, for compliance reports.
///
/// Anybody can be refused as often as they like, so a refusal is no write: it is counted here, by tree, hour,
/// actor, action, object and reason, and every few seconds all of them go into the store as one write. How
/// many different ones are kept is bounded, here and there (`RefusalCount.keyCountMax`): of the others only
/// the number is. A crash loses those since the last write.
///
/// Operations of devices are not counted: each attempt has an audit record of its own.
final class RefusalTally: Sendable {
  /// From one write to the next.
  static let interval = Duration.seconds(5)
  /// Different refusals that wait for the next write: of one actor, and of all.
  static let waitingCountMax = (ofActor: 64, ofAll: 4096)
  /// Of those, the ones that say no more than the tree and a number.
  private static let spareCount = 512

  private struct State {
    var waiting: [RefusalCount.Key: RefusalCount] = [:]
    /// Keys of each actor among them.
    var counts: [String: Int] = [:]
  }

  private let engine: PermissionEngine
  private let clock: any WallClock
  private let droppedCount: Counter
  private let state = Lock(State())

  init(engine: PermissionEngine, clock: any WallClock, metrics: MetricRegistry) {
    self.engine = engine
    self.clock = clock
    droppedCount = metrics.counter(
      "gatehouse_tenancy_report_refusals_dropped_total",
      help:
        "Refused calls that no report counts, because too many different ones waited to be stored."
    )
  }

  /// Counts a refusal, unless its object belongs to no tree.
  func note(_ denial: Denial, _ call: CallContext) {
    let root = engine.peek { forest -> String? in
      guard !forest.policy.isOperation(denial.action) else { return nil }
      return forest.root(of: denial.object)
    }
    guard let root else { return }
    let (actor, now) = (AuditActor(call.caller), clock.now)
    let key = RefusalCount.Key(
      rootID: root,
      hour: now - (now % RefusalCount.hour + RefusalCount.hour) % RefusalCount.hour,
      actor: actor.name,
      onBehalfOf: actor.onBehalfOf ?? "",
      action: denial.action,
      object: denial.object,
      reason: denial.reason
    )
    add([RefusalCount(key: key, at: now)])
  }

  /// Stores what waits; after it, everything that was counted before is in the store, or is again waiting
  /// because it could not be stored.
  func flush(_ store: ServiceStore) async {
    let taken = Lock<[RefusalCount]>([])
    do {
      try await store.writeOwn { [self] tx in
        // As the write runs, so that of two the second one finds in the store what the first one took.
        let refusals = takeAll()
        taken.withLock { $0 = refusals }
        for refusal in refusals { try RefusalTable.store(refusal, in: tx) }
      }
    } catch {
      // The store says itself what is wrong with it.
      add(taken.withLock { $0 })
    }
  }

  /// Stores what waits, every few seconds, until the task is cancelled.
  func run(_ store: ServiceStore, on loop: any EventLoop) async {
    while !Task.isCancelled {
      await loop.sleep(Self.interval)
      guard !Task.isCancelled else { return }
      if !isEmpty { await flush(store) }
    }
  }

  /// How many different ones wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  var isEmpty: Bool { state.withLock { $0.waiting.isEmpty } }

  private func takeAll() -> [RefusalCount] {
    let waiting = state.withLock { state in
      defer { state = State() }
      return state.waiting
    }
    return Array(waiting.values)
  }

  func add(_ refusals: [RefusalCount]) {
    var dropped: Int64 = 0
    state.withLock { state in
      for refusal in refusals where !Self.add(refusal, &state) { dropped += refusal.count }
    }
    if dropped > 0 { droppedCount.add(Int(clamping: dropped)) }
  }

  /// Adds a refusal, with less and less said of it where there is no room; false when there is none at all.
  private static func add(_ refusal: RefusalCount, _ state: inout State) -> Bool {
    let room = waitingCountMax.ofAll - spareCount
    for (candidate, isPlain) in [
      (refusal, true), (refusal.counted(nobody: false), false),
      (refusal.counted(nobody: true), false),
    ] {
      if state.waiting[candidate.key] != nil {
        state.waiting[candidate.key]?.add(candidate)
        return true
      }
      let (actor, isSpare) = (candidate.key.actor, candidate.key.actor.isEmpty)
      let isFull = state.waiting.count >= (isSpare ? waitingCountMax.ofAll : room)
      let isMuch = isPlain && state.counts[actor, default: 0] >= waitingCountMax.ofActor
      guard !isFull, !isMuch else { continue }
      state.waiting[candidate.key] = candidate
      state.counts[actor, default: 0] += 1
      return true
    }
    return false
  }
}

extension Forest {
  /// The root of the tree that an entity belongs to; nil for the system and what is not there.
  func root(of id: String) -> String? {
    guard id != Self.systemIdentifier, entity(id) != nil else { return nil }
    return ancestors(of: id).last ?? id
  }
}
