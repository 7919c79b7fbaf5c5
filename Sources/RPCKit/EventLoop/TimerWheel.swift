/// Timers in a hierarchical wheel: constant time to add, cancel and fire, whatever their number.
///
/// Six levels of 64 slots; a slot of level n spans 64ⁿ ticks of one millisecond, which reaches over
/// two years (later deadlines wait in the last slot and are sorted in again). Each level keeps a
/// 64-bit map of its occupied slots, so the next deadline is found without scanning. After Varghese
/// and Lauck, "Hashed and Hierarchical Timing Wheels" (1987).
///
/// A timer never fires before its deadline, and at most one tick after it as far as the wheel is
/// concerned.
package struct TimerWheel {
  private struct Node {
    var target: (any TimerTarget)?
    var token: UInt64 = 0
    var tick: UInt64 = 0
    var next: UInt32 = TimerWheel.nowhere
    var previous: UInt32 = TimerWheel.nowhere
    var slot: UInt16 = 0
    var generation: UInt32 = 0
  }

  /// A due timer: the caller fires it after the wheel is no longer being changed.
  package struct Due {
    package var timer: TimerID
    package var target: any TimerTarget
    package var token: UInt64
  }

  private static let nowhere = UInt32.max
  private static let levelCount = 6
  private static let slotsPerLevel = 64
  private static let nanosecondsPerTick: Int64 = 1_000_000

  private let origin: MonotonicInstant
  /// Every tick up to and including this one has been fired.
  private var elapsed: UInt64 = 0
  private var nodes: [Node] = []
  private var freeNodes: [UInt32] = []
  private var heads: [UInt32]
  private var occupied: [UInt64]
  package private(set) var count = 0

  package init(now: MonotonicInstant) {
    origin = now
    heads = Array(repeating: Self.nowhere, count: Self.levelCount * Self.slotsPerLevel)
    occupied = Array(repeating: 0, count: Self.levelCount)
  }

  /// Adds a timer.
  package mutating func schedule(
    at deadline: MonotonicInstant,
    target: any TimerTarget,
    token: UInt64
  ) -> TimerID {
    let index = takeNode()
    nodes[Int(index)].target = target
    nodes[Int(index)].token = token
    nodes[Int(index)].tick = max(tick(after: deadline), elapsed + 1)
    insert(index)
    count += 1
    return TimerID(index: index, generation: nodes[Int(index)].generation)
  }

  /// Removes a timer; a stale name is ignored.
  package mutating func cancel(_ timer: TimerID) {
    let index = Int(timer.index)
    guard timer != .none, index < nodes.count, nodes[index].generation == timer.generation else {
      return
    }
    unlink(timer.index)
    free(timer.index)
  }

  /// The targets whose timers are set, with their tokens, for messages of tests.
  package var waiting: [(target: any TimerTarget, token: UInt64)] {
    nodes.compactMap { node in node.target.map { ($0, node.token) } }
  }

  /// When `popDue` should be called next; nil while there is no timer.
  ///
  /// May be early, never late.
  package func nextDeadline() -> MonotonicInstant? {
    nextTick().map(instant(ofTick:))
  }

  /// When a timer with this deadline fires at the earliest if it is added now: the wheel counts ticks.
  package func firing(of deadline: MonotonicInstant) -> MonotonicInstant {
    instant(ofTick: max(tick(after: deadline), elapsed + 1))
  }

  /// Moves the wheel to `now` and appends what became due, in order of deadline tick.
  package mutating func popDue(at now: MonotonicInstant, into due: inout [Due]) {
    let target = tick(before: now)
    while let next = nextTick(), next <= target {
      elapsed = max(elapsed, next)
      expireSlots(at: next, into: &due)
    }
    elapsed = max(elapsed, target)
  }

  /// The first tick at which some occupied slot begins or fires.
  private func nextTick() -> UInt64? {
    var earliest: UInt64?
    for level in 0..<Self.levelCount where occupied[level] != 0 {
      let shift = UInt64(6 * level)
      let position = Int((elapsed >> shift) & 63)
      let distance = UInt64(
        occupied[level].rotatedRight(by: position).trailingZeroBitCount
      )
      let tick = ((elapsed >> shift) &+ distance) << shift
      earliest = min(earliest ?? .max, max(tick, elapsed))
    }
    return earliest
  }

  /// Empties every slot that begins at `tick`: level 0 fires, higher levels are sorted in again.
  private mutating func expireSlots(at tick: UInt64, into due: inout [Due]) {
    for level in stride(from: Self.levelCount - 1, through: 0, by: -1) {
      let shift = UInt64(6 * level)
      guard tick & ((1 << shift) - 1) == 0 || level == 0 else { continue }
      let position = Int((tick >> shift) & 63)
      guard occupied[level] & (1 << UInt64(position)) != 0 else { continue }
      let slot = level * Self.slotsPerLevel + position
      var index = heads[slot]
      heads[slot] = Self.nowhere
      occupied[level] &= ~(1 << UInt64(position))
      while index != Self.nowhere {
        let next = nodes[Int(index)].next
        if nodes[Int(index)].tick <= tick {
          if let target = nodes[Int(index)].target {
            let timer = TimerID(index: index, generation: nodes[Int(index)].generation)
            due.append(Due(timer: timer, target: target, token: nodes[Int(index)].token))
          }
          free(index)
        } else {
          insert(index)
        }
        index = next
      }
    }
  }

  private mutating func insert(_ index: UInt32) {
    let tick = nodes[Int(index)].tick
    // The level is where the deadline first differs from the present, in groups of six bits.
    let difference = (tick ^ elapsed) | 63
    let highest = 63 - difference.leadingZeroBitCount
    let level = min(highest / 6, Self.levelCount - 1)
    let shift = UInt64(6 * level)
    // The last level is a ring: a deadline past its end wraps, and one past a whole turn waits in
    // the slot furthest ahead. On lower levels both have the same higher bits, and nothing wraps.
    let slotsAhead = min((tick >> shift) - (elapsed >> shift), UInt64(Self.slotsPerLevel - 1))
    let position = Int(((elapsed >> shift) + slotsAhead) & 63)
    let slot = level * Self.slotsPerLevel + position
    nodes[Int(index)].slot = UInt16(slot)
    nodes[Int(index)].previous = Self.nowhere
    nodes[Int(index)].next = heads[slot]
    if heads[slot] != Self.nowhere { nodes[Int(heads[slot])].previous = index }
    heads[slot] = index
    occupied[level] |= 1 << UInt64(position)
  }

  private mutating func unlink(_ index: UInt32) {
    let node = nodes[Int(index)]
    let slot = Int(node.slot)
    if node.next != Self.nowhere { nodes[Int(node.next)].previous = node.previous }
    if node.previous != Self.nowhere {
      nodes[Int(node.previous)].next = node.next
    } else {
      heads[slot] = node.next
      if node.next == Self.nowhere {
        occupied[slot / Self.slotsPerLevel] &= ~(1 << UInt64(slot % Self.slotsPerLevel))
      }
    }
  }

  private mutating func takeNode() -> UInt32 {
    if let index = freeNodes.popLast() { return index }
    nodes.append(Node(generation: 1))
    return UInt32(nodes.count - 1)
  }

  private mutating func free(_ index: UInt32) {
    nodes[Int(index)].target = nil
    nodes[Int(index)].generation &+= 1
    if nodes[Int(index)].generation == 0 { nodes[Int(index)].generation = 1 }
    freeNodes.append(index)
    count -= 1
  }

  private func instant(ofTick tick: UInt64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(clamping: tick))
      .scaled(by: Self.nanosecondsPerTick)
      .advanced(byNanoseconds: origin.nanoseconds)
  }

  private func tick(after deadline: MonotonicInstant) -> UInt64 {
    let span = max(0, origin.nanoseconds(to: deadline))
    return UInt64(span / Self.nanosecondsPerTick) + (span % Self.nanosecondsPerTick == 0 ? 0 : 1)
  }

  private func tick(before now: MonotonicInstant) -> UInt64 {
    UInt64(max(0, origin.nanoseconds(to: now)) / Self.nanosecondsPerTick)
  }
}

extension UInt64 {
  fileprivate func rotatedRight(by count: Int) -> UInt64 {
    count == 0 ? self : self >> UInt64(count) | self << UInt64(64 - count)
  }
}

extension MonotonicInstant {
  fileprivate func scaled(by factor: Int64) -> MonotonicInstant {
    let (product, overflow) = nanoseconds.multipliedReportingOverflow(by: factor)
    return MonotonicInstant(nanoseconds: overflow ? .max : product)
  }
}
