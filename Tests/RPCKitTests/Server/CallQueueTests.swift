import RPCKitTesting
import Testing

@testable import RPCKit

/// Whose turn it is among calls that wait, and whose call makes room for another one.
@Suite("The queue of calls")
struct CallQueueTests {
  private final class Connection {
    let source: String

    init(_ source: String) { self.source = source }
  }

  private struct Call: QueuedCall {
    let name: String
    let connection: Connection
    var byteCount = 100

    /// The client for whom it was made, if the connection is a proxy's.
    var client: String?

    var lineID: CallLineID {
      CallLineID(connection: ObjectIdentifier(connection), client: client)
    }
    var source: String { client ?? connection.source }
  }

  private typealias Queue = CallQueue<Call>

  private static func append(
    _ names: String,
    of connection: Connection,
    to queue: inout Queue
  ) {
    for name in names.split(separator: " ") {
      queue.append(Call(name: String(name), connection: connection))
    }
  }

  private static func makeRoom(
    for connection: Connection,
    client: String? = nil,
    in queue: inout Queue,
    byteCount: Int = 100
  ) -> Call? {
    queue.popToMakeRoom(
      for: CallLineID(connection: ObjectIdentifier(connection), client: client),
      of: client ?? connection.source,
      byteCount: byteCount
    )
  }

  /// Takes all calls out, in their order.
  private static func drain(_ queue: inout Queue) -> String {
    var names: [String] = []
    while let call = queue.popFirst() { names.append(call.name) }
    return names.joined(separator: " ")
  }

  @Test("calls leave in the order of their arrival while none has to be refused")
  func popFirst_notFull_keepsTheOrder() {
    var queue = Queue()
    let (a, b) = (Connection("a"), Connection("b"))
    Self.append("a1 a2", of: a, to: &queue)
    Self.append("b1", of: b, to: &queue)
    Self.append("a3", of: a, to: &queue)
    #expect(queue.count == 4 && !queue.isEmpty)
    #expect(Self.drain(&queue) == "a1 a2 b1 a3")
    #expect(queue.count == 0 && queue.isEmpty)
  }

  @Test("a large question takes up as much of a share as many small ones")
  func popToMakeRoom_largeCalls_countBySize() {
    var queue = Queue()
    let (large, other, small) = (Connection("large"), Connection("other"), Connection("small"))
    for source in [large, other] {
      for number in 1...3 {
        let name = "\(source.source)\(number)"
        queue.append(Call(name: name, connection: source, byteCount: 50 << 10))
      }
    }
    // Three and more small ones are still less than a third of the whole.
    Self.append("s1 s2 s3 s4", of: small, to: &queue)
    #expect(Self.makeRoom(for: small, in: &queue)?.connection !== small)
    // A source with a share gets no more of it by large questions, and two do not take turns in giving way.
    var even = Queue()
    for source in [large, other] {
      even.append(Call(name: "1", connection: source, byteCount: 50 << 10))
    }
    even.append(Call(name: "2", connection: large, byteCount: 50 << 10))
    #expect(Self.makeRoom(for: other, in: &even, byteCount: 50 << 10) == nil)
    #expect(Self.makeRoom(for: other, in: &even, byteCount: 100)?.connection === large)
  }

  @Test("a source whose only call gives way is forgotten, and asks anew")
  func popToMakeRoom_onlyCall_leavesNothing() {
    var queue = Queue()
    let (large, small) = (Connection("large"), Connection("small"))
    queue.append(Call(name: "large", connection: large, byteCount: 50 << 10))
    #expect(Self.makeRoom(for: small, in: &queue)?.name == "large")
    #expect(queue.isEmpty)
    Self.append("s1 s2", of: small, to: &queue)
    Self.append("l1", of: large, to: &queue)
    #expect(queue.count == 3)
    #expect(Self.drain(&queue) == "s1 s2 l1")
  }

  @Test("when one was refused, sources take turns, and so do the connections of a source")
  func popFirst_full_takesTurns() {
    var queue = Queue()
    let (a, other, b, c) = (Connection("a"), Connection("a"), Connection("b"), Connection("c"))
    Self.append("a1 a2 a3 a4", of: a, to: &queue)
    Self.append("o1 o2", of: other, to: &queue)
    Self.append("b1 b2", of: b, to: &queue)
    // The newest of the longest line of the source that has most.
    #expect(Self.makeRoom(for: c, in: &queue)?.name == "a4")
    Self.append("c1", of: c, to: &queue)
    #expect(queue.popFirst()?.name == "a1")
    // Who comes again goes behind the others.
    Self.append("a5", of: a, to: &queue)
    Self.append("b3", of: b, to: &queue)
    #expect(Self.drain(&queue) == "b1 c1 o1 b2 a2 b3 o2 a3 a5")
    // Forgotten with the last call: the order is that of arrival again.
    Self.append("a6 a7", of: a, to: &queue)
    Self.append("b4", of: b, to: &queue)
    #expect(Self.drain(&queue) == "a6 a7 b4")
  }

  @Test("a source whose call took long waits for others meanwhile, and so does its connection")
  func popFirst_afterALongCall_costsTurns() throws {
    var queue = Queue()
    let (a, other, b) = (Connection("a"), Connection("a"), Connection("b"))
    let turn = Queue.turnNanoseconds
    Self.append("a1 a2 a3 x", of: a, to: &queue)
    Self.append("o1 o2", of: other, to: &queue)
    Self.append("b1 b2 b3 b4 b5", of: b, to: &queue)
    #expect(Self.makeRoom(for: Connection("c"), in: &queue)?.name == "x")
    let first = queue.popFirst()
    #expect(first?.name == "a1")
    queue.charge(try #require(first), nanoseconds: 4 * turn)
    let second = queue.popFirst()
    #expect(second?.name == "b1")
    // No longer than a turn.
    queue.charge(try #require(second), nanoseconds: turn)
    #expect(Self.drain(&queue) == "b2 b3 b4 o1 b5 o2 a2 a3")
  }

  @Test("the clients of a proxy take turns on its one connection, and one of many calls gives way")
  func proxiedCalls_areCountedForTheirClients() {
    var queue = Queue()
    let proxy = Connection("proxy")
    for name in ["a1", "a2", "a3", "a4", "b1"] {
      let client = String(name.prefix(1))
      queue.append(Call(name: name, connection: proxy, client: client))
    }
    queue.append(Call(name: "p1", connection: proxy))
    #expect(Self.makeRoom(for: proxy, client: "c", in: &queue)?.name == "a4")
    queue.append(Call(name: "c1", connection: proxy, client: "c"))
    #expect(Self.makeRoom(for: proxy, client: "a", in: &queue) == nil)
    #expect(Self.drain(&queue) == "a1 b1 p1 c1 a2 a3")
  }

  @Test("a call that took for ever is forgotten at some time, and at once by whoever is alone")
  func popFirst_afterAnEndlessCall_comesBack() throws {
    var queue = Queue()
    let (a, b) = (Connection("a"), Connection("b"))
    Self.append("a1 a2 a3 x", of: a, to: &queue)
    #expect(Self.makeRoom(for: b, in: &queue)?.name == "x")
    let first = queue.popFirst()
    let endless = try #require(first)
    for _ in 0..<10 { queue.charge(endless, nanoseconds: .max) }
    for number in 1...1000 { Self.append("b\(number)", of: b, to: &queue) }
    let order = Self.drain(&queue).split(separator: " ")
    let place = try #require(order.firstIndex(of: "a2"))
    #expect(place == Int(Queue.debtMax / Queue.turnNanoseconds))
    #expect(order[place...].contains("a3"))
    // With nobody else, there is nobody who could be kept waiting.
    Self.append("a1 a2 a3 x", of: a, to: &queue)
    #expect(Self.makeRoom(for: b, in: &queue)?.name == "x")
    let again = queue.popFirst()
    queue.charge(try #require(again), nanoseconds: .max)
    #expect(queue.popFirst()?.name == "a2")
    Self.append("b1", of: b, to: &queue)
    #expect(Self.drain(&queue) == "a3 b1")
  }

  @Test("nobody makes room for those who have their share")
  func popToMakeRoom_equalShares_isNil() {
    var queue = Queue()
    let (a, b, c) = (Connection("a"), Connection("b"), Connection("c"))
    #expect(Self.makeRoom(for: a, in: &queue) == nil)
    Self.append("a1 a2 a3", of: a, to: &queue)
    #expect(Self.makeRoom(for: a, in: &queue) == nil)
    Self.append("b1 b2", of: b, to: &queue)
    #expect(Self.makeRoom(for: b, in: &queue) == nil)
    #expect(Self.makeRoom(for: a, in: &queue) == nil)
    // Of five calls, each of three has one to expect and not two.
    #expect(Self.makeRoom(for: c, in: &queue)?.name == "a3")
    Self.append("c1", of: c, to: &queue)
    #expect(Self.makeRoom(for: c, in: &queue) == nil)
    #expect(Self.drain(&queue) == "a1 b1 c1 a2 b2")
  }

  @Test("nobody gives up an only call, unless the source has others")
  func popToMakeRoom_onlyCalls_takesThoseOfACrowd() {
    var queue = Queue()
    let crowd = (1...6).map { _ in Connection("a") }
    for (index, connection) in crowd.enumerated() {
      Self.append("a\(index)", of: connection, to: &queue)
    }
    #expect(Self.makeRoom(for: Connection("a"), in: &queue) == nil)
    let stranger = Connection("b")
    let given = Self.makeRoom(for: stranger, in: &queue)
    #expect(given != nil && queue.count == 5)
    Self.append("b1", of: stranger, to: &queue)
    // Whose only call it was waits like anybody when it comes again.
    if let given { Self.append(given.name, of: given.connection, to: &queue) }
    let order = Self.drain(&queue).split(separator: " ")
    #expect(order.count == 7 && order[1] == "b1" && order.last.map { String($0) } == given?.name)
    for name in ["a", "b"] { queue.append(Call(name: name, connection: Connection(name))) }
    #expect(Self.makeRoom(for: Connection("c"), in: &queue) == nil)
  }

  @Test(
    "whatever comes, every call leaves once, in the order of its connection, and the longest give"
  )
  func randomCalls_areNeitherLostNorReordered() throws {
    var random = SimulationRandom(seed: 11)
    var queue = Queue()
    let connections = (0..<12).map { Connection("source \($0 % 5)") }
    var model = Array(repeating: [Int](), count: 12)
    var next = 0
    func index(_ call: Call) throws -> Int {
      try #require(connections.firstIndex { $0 === call.connection })
    }
    func take(_ call: Call) throws {
      let oldest = model[try index(call)].removeFirst()
      try #require(call.name == "\(oldest)")
    }
    func ofSource(_ index: Int) -> Int {
      (0..<12).reduce(0) { $0 + ($1 % 5 == index % 5 ? model[$1].count : 0) }
    }
    for round in 0..<20_000 {
      // A few connections send most calls.
      let sender = min(
        Int.random(in: 0..<12, using: &random),
        Int.random(in: 0..<12, using: &random)
      )
      if queue.count < 40 {
        queue.append(Call(name: "\(next)", connection: connections[sender]))
        model[sender].append(next)
        next += 1
      } else if let given = Self.makeRoom(for: connections[sender], in: &queue) {
        let giver = try index(given)
        if giver % 5 == sender % 5 {
          try #require(model[giver].count >= model[sender].count + 2)
        } else {
          try #require(ofSource(giver) >= ofSource(sender) + 2)
        }
        let newest = model[giver].removeLast()
        try #require(given.name == "\(newest)")
        queue.append(Call(name: "\(next)", connection: connections[sender]))
        model[sender].append(next)
        next += 1
      }
      // Now and then everything leaves, and the order is that of arrival again.
      let leavesAll = round % 1000 == 0
      while leavesAll || Int.random(in: 0..<3, using: &random) == 0, let call = queue.popFirst() {
        try take(call)
      }
      try #require(queue.count == model.reduce(0) { $0 + $1.count })
    }
    while let call = queue.popFirst() {
      try take(call)
    }
    #expect(model.allSatisfy(\.isEmpty) && next > 5000)
  }

  @Test("a queue gives the memory of a flood back, and does not grow when it is never empty")
  func popFirst_afterAFlood_holdsLittle() {
    var queue = Queue()
    let (a, b) = (Connection("a"), Connection("b"))
    let call = Call(name: "x", connection: a)
    for _ in 0..<5000 { queue.append(call) }
    #expect(queue.placeCount == 5000)
    while queue.popFirst() != nil {}
    #expect(queue.placeCount == 0)
    for isFull in [false, true] {
      for _ in 0..<10 { queue.append(call) }
      if isFull { #expect(Self.makeRoom(for: b, in: &queue) != nil) }
      for _ in 0..<5000 {
        queue.append(call)
        _ = queue.popFirst()
      }
      #expect(queue.placeCount < 200)
      while queue.popFirst() != nil {}
      #expect(queue.placeCount == 0)
    }
  }
}
