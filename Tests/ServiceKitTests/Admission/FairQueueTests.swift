import RPCKit
import Testing

@testable import ServiceKit

/// Who goes first, and who has no place.
@Suite("Fair queues")
struct FairQueueTests {
  private typealias Queue = FairQueue<String>

  private let a = CountedCaller.user("a")
  private let b = CountedCaller.user("b")
  private let c = CountedCaller.service("c")

  private func anonymous(_ number: Int) -> CountedCaller { .anonymous("10.0.0.\(number)") }

  private func drain(_ queue: inout Queue) -> [String] {
    var order: [String] = []
    while let (owner, job) = queue.next() {
      order.append(job)
      queue.finish(owner)
    }
    return order
  }

  @Test("owners take turns, each in its own order")
  func next_severalOwners_takeTurns() {
    var queue = Queue(.init(placeCount: 20, placeCountPerOwner: 10))
    for job in ["a1", "a2", "a3", "a4"] { #expect(queue.append(job, of: a) == nil) }
    for job in ["b1", "b2"] { #expect(queue.append(job, of: b) == nil) }
    #expect(queue.append("c1", of: c) == nil)
    #expect(drain(&queue) == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
    #expect(queue.placeCount == 0)
  }

  @Test("any number of callers without credentials have one turn together")
  func next_manyAnonymous_areOneClass() {
    var queue = Queue(.init(placeCount: 40, placeCountPerOwner: 10))
    for number in 0..<10 { #expect(queue.append("x\(number)", of: anonymous(number)) == nil) }
    for job in ["a1", "a2", "a3"] { #expect(queue.append(job, of: a) == nil) }
    #expect(
      drain(&queue) == [
        "x0", "a1", "x1", "a2", "x2", "a3", "x3", "x4", "x5", "x6", "x7", "x8", "x9",
      ]
    )
  }

  @Test("an owner has its places and no more until a job of it has run")
  func append_ownerIsFull_isRefusedAlone() {
    var queue = Queue(.init(placeCount: 20, placeCountPerOwner: 2))
    #expect(queue.append("a1", of: a) == nil)
    #expect(queue.append("a2", of: a) == nil)
    #expect(queue.append("a3", of: a) == .owner)
    #expect(queue.append("b1", of: b) == nil)
    // One that runs keeps its place.
    #expect(queue.next()?.job == "a1")
    #expect(queue.append("a3", of: a) == .owner)
    queue.finish(a)
    #expect(queue.append("a3", of: a) == nil)
    #expect(queue.placeCount == 3)
  }

  @Test("callers without credentials have half of the places, and all together have all")
  func append_full_isRefused() {
    var queue = Queue(.init(placeCount: 6, placeCountPerOwner: 6))
    let flood = (0..<5).map { queue.append("x", of: anonymous($0)) }
    #expect(flood == [nil, nil, nil, .full, .full])
    #expect((0..<4).map { queue.append("\($0)", of: .user("\($0)")) } == [nil, nil, nil, .full])
    #expect(drain(&queue).count == 6)
    #expect(queue.append("x", of: anonymous(9)) == nil)
  }

  @Test("a job that is taken out leaves its place and its owner's turn to others")
  func remove_waitingJob_freesItsPlace() {
    var queue = Queue(.init(placeCount: 20, placeCountPerOwner: 2))
    for job in ["a1", "a2"] { #expect(queue.append(job, of: a) == nil) }
    for job in ["b1", "b2"] { #expect(queue.append(job, of: b) == nil) }
    #expect(queue.remove(of: a) { $0 == "b1" } == nil)
    #expect(queue.remove(of: a) { $0 == "a1" } == "a1")
    #expect(queue.remove(of: a) { $0 == "a2" } == "a2")
    #expect(queue.placeCount(of: a) == 0 && queue.placeCount == 2)
    // Back again: one turn, after those who were there.
    for job in ["a3", "a4"] { #expect(queue.append(job, of: a) == nil) }
    #expect(drain(&queue) == ["b1", "a3", "b2", "a4"])
  }

  @Test("no job is lost, repeated or out of its owner's order", arguments: 0..<20)
  func randomUse_losesNothing(seed: UInt64) {
    var random = SeededNumbers(seed)
    var queue = FairQueue<Int>(.init(placeCount: 30, placeCountPerOwner: 8))
    var expected: [CountedCaller: [Int]] = [:]
    var running: [CountedCaller] = []
    for number in 0..<3000 {
      switch random.next() % 6 {
      case 0, 1:
        let index = Int(random.next() % 8)
        let owner = index < 4 ? anonymous(index) : .user("\(index)")
        if queue.append(number, of: owner) == nil { expected[owner, default: []].append(number) }
      case 2, 3:
        guard let (owner, job) = queue.next() else { break }
        #expect(expected[owner]?.first == job)
        expected[owner]?.removeFirst()
        running.append(owner)
      case 4:
        let waiting = expected.filter { !$0.value.isEmpty }.sorted { $0.value[0] < $1.value[0] }
        guard !waiting.isEmpty else { break }
        let (owner, jobs) = waiting[Int(random.next()) % waiting.count]
        let job = jobs[Int(random.next()) % jobs.count]
        #expect(queue.remove(of: owner) { $0 == job } == job)
        expected[owner]?.removeAll { $0 == job }
      default:
        if let owner = running.popLast() { queue.finish(owner) }
      }
      #expect(queue.placeCount == running.count + expected.values.reduce(0) { $0 + $1.count })
    }
    while let (owner, job) = queue.next() {
      #expect(expected[owner]?.first == job)
      expected[owner]?.removeFirst()
      running.append(owner)
    }
    for owner in running { queue.finish(owner) }
    #expect(queue.placeCount == 0 && expected.values.allSatisfy(\.isEmpty))
  }

  /// A linear congruential generator: the same numbers for the same seed.
  private struct SeededNumbers {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 2 &+ 1 }

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }
}
