import RPCKit
import Testing

@testable import AuthService

@Suite("Whose password is hashed next")
struct HashQueueTests {
  private let ada = HashShare(user: "ada")
  private let eve = HashShare(user: "eve")

  /// The order in which jobs ran.
  private final class Order: Sendable {
    private let lock = Lock<[String]>([])

    var names: [String] { lock.withLock { $0 } }

    func append(_ name: String) { lock.withLock { $0.append(name) } }
  }

  /// Adds a job whose result is its name.
  private func add(
    _ name: String,
    _ lane: HashLane,
    for share: HashShare,
    to queue: inout HashQueue,
    _ order: Order
  ) {
    let reservation = queue.reserve(lane, for: share, capacity: 100)
    #expect(reservation == .taken)
    queue.append(
      .init(lane: lane, share: share, arrived: .init(nanoseconds: 0)) {
        order.append(name)
        return {}
      }
    )
  }

  /// Runs the next job; false without one.
  private func runNext(of queue: inout HashQueue) -> Bool {
    guard let job = queue.next() else { return false }
    _ = job.run()
    queue.release(job.lane, job.share)
    return true
  }

  @Test("While both lanes wait, three of four turns are the trusted one's, oldest first")
  func queue_bothWait_turnsAreShared() throws {
    var queue = HashQueue()
    let order = Order()
    for number in 0..<8 {
      for lane in HashLane.allCases {
        add("\(lane)\(number)", lane, for: HashShare(user: "\(number)"), to: &queue, order)
      }
    }
    while runNext(of: &queue) {}
    #expect(queue.placeCount == 0)
    #expect(
      order.names == [
        "trusted0", "trusted1", "trusted2", "ordinary0",
        "trusted3", "trusted4", "trusted5", "ordinary1",
        "trusted6", "trusted7", "ordinary2", "ordinary3",
        "ordinary4", "ordinary5", "ordinary6", "ordinary7",
      ]
    )
  }

  @Test("A queue with one place is no one's for good")
  func queue_onePlace_isShared() {
    var queue = HashQueue()
    var taken = [
      queue.reserve(.ordinary, for: ada, capacity: 1),
      queue.reserve(.trusted, for: eve, capacity: 1),
    ]
    queue.release(.ordinary, ada)
    taken.append(queue.reserve(.trusted, for: eve, capacity: 1))
    taken.append(queue.reserve(.ordinary, for: ada, capacity: 1))
    #expect(taken == [.taken, .laneIsFull, .taken, .laneIsFull])
  }

  @Test("The trusted lane has places of its own when there are hardly any")
  func queue_fewPlaces_someAreForTheTrusted() {
    var queue = HashQueue()
    func reserve(_ lane: HashLane, _ count: Int) -> Int {
      (0..<count).count { number in
        let share = HashShare(user: "\(number)")
        return queue.reserve(lane, for: share, capacity: 4, trustedCountMin: 6) == .taken
      }
    }
    #expect(reserve(.ordinary, 10) == 3)
    #expect(reserve(.trusted, 10) == 6)
    #expect(queue.placeCount == 9)
    // Nor do known devices shut strangers out.
    for number in 0..<3 { queue.release(.ordinary, HashShare(user: "\(number)")) }
    #expect(reserve(.ordinary, 10) == 1)
    for number in 0..<6 { queue.release(.trusted, HashShare(user: "\(number)")) }
    #expect(reserve(.ordinary, 10) == 2)
  }

  @Test(
    "One account has four places of each lane and no more, and gets them back",
    arguments: HashLane.allCases
  )
  func queue_oneAccount_hasAShare(lane: HashLane) {
    var queue = HashQueue()
    let first = (0..<200).map { _ in queue.reserve(lane, for: eve, capacity: 100) }
    #expect(first.count { $0 == .taken } == 4)
    #expect(first.count { $0 == .shareIsFull } == 196)
    let other = queue.reserve(lane, for: ada, capacity: 100)
    #expect(other == .taken)
    queue.release(lane, eve)
    let again = (0..<2).map { _ in queue.reserve(lane, for: eve, capacity: 100) }
    #expect(again == [.taken, .shareIsFull])
    for _ in 0..<4 { queue.release(lane, eve) }
    queue.release(lane, ada)
    #expect(queue.placeCount == 0)
  }

  @Test(
    "Accounts take turns, however many hashes one of them waits for",
    arguments: HashLane.allCases
  )
  func queue_manyOfOneAccount_takeTurns(lane: HashLane) {
    var queue = HashQueue()
    let order = Order()
    for number in 0..<4 { add("eve\(number)", lane, for: eve, to: &queue, order) }
    for number in 0..<2 { add("ada\(number)", lane, for: ada, to: &queue, order) }
    add("bob0", lane, for: HashShare(user: "bob"), to: &queue, order)
    while runNext(of: &queue) {}
    #expect(
      order.names == ["eve0", "ada0", "bob0", "eve1", "ada1", "eve2", "eve3"]
    )
  }

  /// What a victim got 4 of 26 of when hashes stood in one line.
  @Test("Somebody who signs in all the time keeps nobody waiting for more than one hash of theirs")
  func queue_flood_victimIsNext() {
    var queue = HashQueue()
    let order = Order()
    func flood() {
      while queue.reserve(.trusted, for: eve, capacity: 100) == .taken {
        queue.append(
          .init(lane: .trusted, share: eve, arrived: .init(nanoseconds: 0)) {
            order.append("eve")
            return {}
          }
        )
      }
    }
    for number in 0..<26 {
      flood()
      add("ada\(number)", .trusted, for: ada, to: &queue, order)
      for _ in 0..<2 {
        _ = runNext(of: &queue)
        flood()
      }
      #expect(order.names.suffix(2).contains("ada\(number)"))
    }
    #expect(order.names.count { $0.hasPrefix("ada") } == 26)
  }
}
