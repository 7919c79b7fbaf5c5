import Contracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// What is told of calls that a server refused to protect itself.
@Suite("Reports of refused calls")
struct ShedMonitorTests {
  /// What was reported, in order.
  private final class Reports: Sendable {
    private let list = Lock<[[ShedReport]]>([])

    var all: [[ShedReport]] { list.withLock { $0 } }

    func add(_ reports: [ShedReport]) { list.withLock { $0.append(reports) } }
  }

  @Test("every refused call is in one report, once a second, by method and reason")
  func reports_addUpToWhatWasRefused() throws {
    let reports = Reports()
    let fixture = try ServerFixture(
      configure: {
        $0.admission.isAdaptive = false
        $0.limits.runningHandlersMax = 1
        $0.limits.streamsPerConnectionMax = 2
      },
      reportSheds: { reports.add($0) }
    )
    let peer = try fixture.connectExtended()
    peer.send(.call(1, "Echo", .init(context: "hold")))
    try fixture.simulation.run(for: .seconds(5))
    #expect(reports.all.isEmpty && fixture.server.recentlyShed.isEmpty)
    for index in 1...30 { peer.send(.call(UInt32(index * 2 + 1), index <= 20 ? "List" : "Read")) }
    try fixture.simulation.run(for: .milliseconds(900))
    #expect(reports.all.isEmpty)
    try fixture.simulation.run(for: .milliseconds(200))
    let (list, read) = ("test.Service/List", "test.Service/Read")
    #expect(
      reports.all == [
        [
          ShedReport(method: list, reason: .runningHandlers, count: 20),
          ShedReport(method: read, reason: .runningHandlers, count: 10),
        ]
      ]
    )
    #expect(fixture.server.recentlyShed == [.runningHandlers: 30])
    // What is refused after a report has one of its own.
    _ = try fixture.exchange(peer, .call(101, "Read"))
    try fixture.simulation.run(for: .milliseconds(1100))
    #expect(
      reports.all.last == [
        ShedReport(method: read, reason: .runningHandlers, count: 1)
      ]
    )
    #expect(fixture.server.recentlyShed == [.runningHandlers: 31])
    #expect(fixture.metrics.server.shed(.runningHandlers).value == 31)
    try fixture.simulation.run(for: .seconds(11))
    #expect(fixture.server.recentlyShed.isEmpty && reports.all.count == 2)
  }

  @Test("calls past a connection's bound and for overload are told as such")
  func reasons_areTold() throws {
    let fixture = try ServerFixture {
      $0.limits.streamsPerConnectionMax = 12
      $0.admission.limitMin = 8
      $0.admission.window = .milliseconds(1)
    }
    let (peer, other) = (try fixture.connectExtended(), try fixture.connectExtended())
    for id: UInt32 in [1, 3, 5] {
      try fixture.simulation.run(for: .milliseconds(5))
      _ = try fixture.exchange(peer, .call(id, "Echo"))
    }
    for index in 0..<12 {
      _ = try fixture.exchange(
        peer,
        .call(UInt32(101 + 2 * index), "Read", .init(context: "wait"))
      )
    }
    for index in 0..<10 {
      other.send(.call(UInt32(101 + 2 * index), "Read", .init(context: "hold")))
    }
    try fixture.simulation.settle()
    _ = try fixture.exchange(peer, .call(201, "Read"))
    try fixture.simulation.run(for: .milliseconds(1100))
    #expect(fixture.server.recentlyShed == [.overloaded: 2, .callsPerConnection: 1])
  }
}
