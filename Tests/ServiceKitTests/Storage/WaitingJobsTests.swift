import RPCKit
import Testing

@testable import ServiceKit

/// Who is next among the jobs of a store, and who may wait.
@Suite("Jobs that wait for the store")
struct WaitingJobsTests {
  private struct Job: WaitingJob {
    let id: UInt64
    let owner: CountedCaller?

    init(_ id: UInt64, _ owner: CountedCaller?) { (self.id, self.owner) = (id, owner) }
  }

  private typealias Jobs = WaitingJobs<Job>

  private let a = CountedCaller.user("a")
  private let b = CountedCaller.user("b")
  private let c = CountedCaller.service("c")

  private func drain(_ jobs: inout Jobs) -> [UInt64] {
    var order: [UInt64] = []
    while let job = jobs.take() { order.append(job.id) }
    return order
  }

  @Test("A few leave in the order in which they came")
  func take_few_isInOrder() {
    var jobs = Jobs(countMax: 64)
    for (id, owner) in [(1, a), (2, a), (3, b), (4, a)] as [(UInt64, CountedCaller)] {
      #expect(jobs.append(Job(id, owner)) == nil)
    }
    #expect(drain(&jobs) == [1, 2, 3, 4])
  }

  @Test("When more wait, callers take turns, and the service's own work goes first")
  func take_many_isInTurns() {
    var jobs = Jobs(countMax: 64)
    for id: UInt64 in 1...6 { #expect(jobs.append(Job(id, a)) == nil) }
    #expect(jobs.append(Job(7, b)) == nil && jobs.append(Job(8, b)) == nil)
    #expect(jobs.append(Job(9, c)) == nil && jobs.append(Job(10, nil)) == nil)
    #expect(jobs.count == 10)
    #expect(drain(&jobs) == [10, 1, 7, 9, 2, 8, 3, 4, 5, 6])
    // With those done it is as before.
    for (id, owner) in [(1, a), (2, a), (3, b)] as [(UInt64, CountedCaller)] {
      #expect(jobs.append(Job(id, owner)) == nil)
    }
    #expect(drain(&jobs) == [1, 2, 3])
  }

  @Test("One caller may have an eighth of what is free, and loses nobody else a place")
  func append_pastTheShare_isRefusedToThatCaller() {
    var jobs = Jobs(countMax: 64)
    let outcomes = (0..<20).map { jobs.append(Job($0, a)) }
    #expect(
      outcomes == Array(repeating: nil, count: 7) + Array(repeating: .callerOverloaded, count: 13)
    )
    #expect(jobs.append(Job(20, b)) == nil)
    _ = jobs.take()
    #expect(jobs.append(Job(21, a)) == nil)
  }

  @Test("However many callers fill the queue, somebody new has a place", arguments: [1, 8, 40, 63])
  func append_manyFloods_leaveAPlace(floodCount: Int) {
    var jobs = Jobs(countMax: 64)
    var hasRoom = true
    while hasRoom {
      let outcomes = (0..<floodCount).map { jobs.append(Job(1, .user("\($0)"))) }
      hasRoom = outcomes.contains(nil)
    }
    #expect(jobs.append(Job(2, a)) == nil)
  }

  @Test(
    "All places may be taken, callers without credentials have half of them, and none is overstepped"
  )
  func append_full_isRefused() {
    var jobs = Jobs(countMax: 64)
    let sources = (0..<64).map { jobs.append(Job($0, .anonymous("\($0)"))) }
    #expect(sources.prefix(32).allSatisfy { $0 == nil })
    #expect(sources.suffix(32).allSatisfy { $0 == .overloaded })
    let users = (0..<33).map { jobs.append(Job($0, .user("\($0)"))) }
    #expect(users == Array(repeating: nil, count: 32) + [.overloaded])
    #expect(jobs.append(Job(1, nil)) == .overloaded)
    #expect(drain(&jobs).count == 64 && jobs.count == 0)
    let own = (0..<65).map { jobs.append(Job($0, nil)) }
    #expect(own == Array(repeating: nil, count: 64) + [.overloaded])
  }

  @Test("A job can be taken out for as long as it waits", arguments: [3, 7])
  func remove_waiting_isGone(count: UInt64) {
    var jobs = Jobs(countMax: 64)
    for id in 1...count { #expect(jobs.append(Job(id, a)) == nil) }
    #expect(jobs.remove(2, of: a)?.id == 2 && jobs.remove(2, of: a) == nil)
    #expect(jobs.take()?.id == 1 && jobs.remove(1, of: a) == nil)
    #expect(drain(&jobs) == Array(3...count))
  }
}
