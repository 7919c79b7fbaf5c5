import Testing

@testable import RPCKit

/// Whose turn it is, and what a connection may begin while the server is full.
@Suite("The queue of calls")
struct CallQueueTests {
  private typealias Queue = CallQueue<String>

  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

  /// Takes all calls out, in their order.
  private static func drain(_ queue: inout Queue) -> [String] {
    var calls: [String] = []
    while let call = queue.next() { calls.append(call) }
    return calls
  }

  @Test("sources take turns, and so do the connections of a source")
  func next_manySources_takesTurns() {
    var queue = Queue()
    let (a, otherA, b) = (queue.join("a"), queue.join("a"), queue.join("b"))
    for number in 1...4 { queue.append("a\(number)", of: a, now: Self.start) }
    for number in 1...2 { queue.append("A\(number)", of: otherA, now: Self.start) }
    for number in 1...3 { queue.append("b\(number)", of: b, now: Self.start) }
    #expect(queue.count == 9)
    #expect(queue.next() == "a1" && queue.next() == "b1")
    // Who comes again goes to the end.
    queue.append("b4", of: b, now: Self.start)
    #expect(Self.drain(&queue) == ["A1", "b2", "a2", "b3", "A2", "b4", "a3", "a4"])
    #expect(queue.count == 0)
  }

  @Test("every call leaves once, those of one connection in their order, whatever comes between")
  func next_randomCalls_losesNone() {
    var random = SeededBytes(seed: 7)
    var queue = Queue()
    let lines = (0..<12).map { queue.join("source \($0 % 5)") }
    var (appended, taken) = (Array(repeating: 0, count: 12), Array(repeating: 0, count: 12))
    func take() -> Bool {
      guard let call = queue.next() else { return false }
      let parts = call.split(separator: " ").compactMap { Int($0) }
      #expect(parts[1] == taken[parts[0]])
      taken[parts[0]] += 1
      return true
    }
    for _ in 0..<20_000 {
      if Bool.random(using: &random) {
        let index = Int.random(in: 0..<12, using: &random)
        queue.append("\(index) \(appended[index])", of: lines[index], now: Self.start)
        appended[index] += 1
      } else {
        _ = take()
      }
      #expect(queue.count == appended.reduce(0, +) - taken.reduce(0, +))
    }
    while take() {}
    #expect(taken == appended)
  }

  @Test("a source whose call took long misses turns, and so does its connection, while others wait")
  func next_afterALongCall_missesTurns() {
    var queue = Queue()
    let (a, otherA, b) = (queue.join("a"), queue.join("a"), queue.join("b"))
    for number in 1...3 { queue.append("a\(number)", of: a, now: Self.start) }
    for number in 1...2 { queue.append("A\(number)", of: otherA, now: Self.start) }
    for number in 1...5 { queue.append("b\(number)", of: b, now: Self.start) }
    #expect(queue.next() == "a1")
    queue.charge(a, nanoseconds: 3 * Queue.turn)
    #expect(queue.next() == "b1")
    // No longer than a turn: free.
    queue.charge(b, nanoseconds: Queue.turn)
    #expect(Self.drain(&queue) == ["b2", "b3", "b4", "A1", "b5", "A2", "a2", "a3"])
    // What was missed is forgotten by those who had nothing left to wait for.
    queue.append("a4", of: a, now: Self.start)
    queue.append("b6", of: b, now: Self.start)
    #expect(Self.drain(&queue) == ["a4", "b6"])
  }

  @Test("a call that took for ever costs a bounded number of turns")
  func next_afterAnEndlessCall_comesBack() {
    var queue = Queue()
    let (a, b) = (queue.join("a"), queue.join("b"))
    for number in 1...2 { queue.append("a\(number)", of: a, now: Self.start) }
    for number in 1...100 { queue.append("b\(number)", of: b, now: Self.start) }
    #expect(queue.next() == "a1")
    for _ in 0..<10 { queue.charge(a, nanoseconds: .max) }
    let order = Self.drain(&queue)
    #expect(order.firstIndex(of: "a2") == Queue.missedTurnsMax + 1)
  }

  @Test("a queue gives the memory of a flood back when it is empty")
  func next_afterAFlood_holdsLittle() {
    var queue = Queue()
    let line = queue.join("a")
    for _ in 0..<5000 { queue.append("x", of: line, now: Self.start) }
    #expect(queue.placeCount == 5000)
    #expect(Self.drain(&queue).count == 5000)
    #expect(queue.placeCount == 0)
    // A queue that is never empty does not grow.
    queue.append("x", of: line, now: Self.start)
    for _ in 0..<5000 {
      queue.append("x", of: line, now: Self.start)
      _ = queue.next()
    }
    #expect(queue.placeCount == 2)
  }

  @Test("a limit is divided among busy sources, and the part of one among its busy connections")
  func hasShareLeft_dividesTheLimit() {
    var queue = Queue()
    func calls(_ line: Queue.Line) -> Int {
      var count = 0
      while queue.hasShareLeft(line, of: 24, burst: 0, patience: .zero, now: Self.start) {
        queue.began(line)
        count += 1
      }
      return count
    }
    let (a, otherA, b) = (queue.join("a"), queue.join("a"), queue.join("b"))
    #expect(calls(a) == 24)
    #expect(calls(b) == 12)
    #expect(calls(otherA) == 6)
    // What somebody has beyond a share that became smaller ends by itself.
    #expect(calls(a) == 0)
    for _ in 0..<24 { queue.ended(a) }
    #expect(calls(a) == 6)
    for _ in 0..<12 { queue.ended(b) }
    #expect(calls(otherA) == 6)
    // More connections than the limit: none has a share, and the limit alone decides.
    for _ in 0..<25 { queue.began(queue.join("many")) }
    #expect(calls(queue.join("many")) == 0)
    #expect(calls(b) == 8)
  }

  @Test("calls that have not waited long have a share of the burst, those that have do not")
  func hasShareLeft_lateLine_hasNoBurst() {
    var queue = Queue()
    let (line, other) = (queue.join("a"), queue.join("b"))
    func mayBegin(_ line: Queue.Line, after milliseconds: Int) -> Bool {
      let now = Self.start.advanced(by: .milliseconds(milliseconds))
      return queue.hasShareLeft(line, of: 8, burst: 64, patience: .milliseconds(10), now: now)
    }
    for _ in 0..<40 {
      #expect(mayBegin(line, after: 0))
      queue.began(line)
      queue.append("x", of: line, now: Self.start)
    }
    #expect(mayBegin(line, after: 9) && !mayBegin(line, after: 10))
    #expect(mayBegin(other, after: 10))
    // One that left and one that came do not make the others younger.
    _ = queue.next()
    queue.append("x", of: line, now: Self.start.advanced(by: .milliseconds(9)))
    #expect(!mayBegin(line, after: 10))
    _ = Self.drain(&queue)
    #expect(mayBegin(line, after: 10))
  }

  @Test("a source is forgotten with its last connection")
  func leave_lastConnection_forgetsTheSource() {
    var queue = Queue()
    let (first, second) = (queue.join("a"), queue.join("a"))
    queue.began(first)
    queue.leave(second)
    let third = queue.join("a")
    // Of one source: each has half.
    #expect(queue.hasShareLeft(third, of: 2, burst: 0, patience: .zero, now: Self.start))
    queue.began(third)
    #expect(!queue.hasShareLeft(third, of: 2, burst: 0, patience: .zero, now: Self.start))
    queue.leave(first)
    queue.leave(third)
    #expect(queue.sourceCount == 0)
    // Calls of connections that closed end later.
    queue.ended(first)
    queue.ended(third)
    let last = queue.join("a")
    for _ in 0..<2 {
      #expect(queue.hasShareLeft(last, of: 2, burst: 0, patience: .zero, now: Self.start))
      queue.began(last)
    }
    #expect(!queue.hasShareLeft(last, of: 2, burst: 0, patience: .zero, now: Self.start))
  }
}
