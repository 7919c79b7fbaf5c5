import Testing

@testable import TenancyService

@Suite("What a sender of webhooks has on its way")
struct DeliveryFlightsTests {
  private func deliveries(_ webhook: String, _ sequences: Range<Int64>) -> [Delivery] {
    sequences.map { Delivery(webhookID: webhook, sequence: $0, lane: "lane \($0)", dueAt: $0) }
  }

  @Test("Sixteen go at a time, four of one webhook, one of a webhook that failed last")
  func room_isBounded() {
    var flights = DeliveryFlights()
    for name in ["a", "b", "c", "d", "e"] { flights.note(deliveries(name, 1..<11)) }
    flights.note("e", isFailing: true)
    let first = flights.depart(at: 0)
    #expect(first.count == 16 && !flights.hasRoom)
    #expect(Dictionary(grouping: first, by: \.webhookID).mapValues(\.count)["e"] == 1)
    #expect(flights.busy.isSuperset(of: ["e", "d", "c", "b"]))
    #expect(flights.depart(at: 0).isEmpty)
    for delivery in first { flights.land(delivery) }
    #expect(flights.hasRoom && flights.busy.isEmpty)
    let second = flights.depart(at: 0)
    #expect(second.count == 16 && Set(second).isDisjoint(with: first))
  }

  @Test("What was read last counts, and what is on its way does not go again")
  func news_replaceWhatWasReady() {
    var flights = DeliveryFlights()
    flights.note(deliveries("a", 1..<9))
    let first = flights.depart(at: 0)
    #expect(first.map(\.sequence) == [1, 2, 3, 4])
    flights.note(deliveries("a", 3..<5) + deliveries("a", 20..<22))
    #expect(flights.depart(at: 0).isEmpty)
    flights.land(first[0])
    flights.land(first[1])
    #expect(flights.depart(at: 0).map(\.sequence) == [20, 21])
    for delivery in first[2...] { flights.land(delivery) }
    #expect(flights.depart(at: 0).isEmpty)
  }

  @Test("A webhook gets so many in any second, and others do not wait for it")
  func pace_isBounded() {
    var flights = DeliveryFlights(countMaxInSecond: 3)
    flights.note(deliveries("a", 1..<9) + deliveries("b", 1..<3))
    /// Those that go at an instant, and arrive at once.
    func go(at now: Int64) -> [String] {
      var gone: [String] = []
      while case let due = flights.depart(at: now), !due.isEmpty {
        for delivery in due { flights.land(delivery) }
        gone += due.map { "\($0.webhookID)\($0.sequence)" }
      }
      return gone
    }
    #expect(go(at: 10_000) == ["a1", "a2", "a3", "b1", "b2"])
    #expect(flights.busy == ["a"])
    #expect(go(at: 10_999).isEmpty)
    #expect(go(at: 11_000) == ["a4", "a5", "a6"])
    // A clock that was set back holds nobody up.
    #expect(go(at: 5_000) == ["a7", "a8"])
    #expect(flights.busy.isEmpty)
  }
}
