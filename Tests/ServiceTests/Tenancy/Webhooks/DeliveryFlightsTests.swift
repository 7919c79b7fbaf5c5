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
    let first = flights.depart()
    #expect(first.count == 16 && !flights.hasRoom)
    #expect(Dictionary(grouping: first, by: \.webhookID).mapValues(\.count)["e"] == 1)
    #expect(flights.busy.isSuperset(of: ["e", "d", "c", "b"]))
    #expect(flights.depart().isEmpty)
    for delivery in first { flights.land(delivery) }
    #expect(flights.hasRoom && flights.busy.isEmpty)
    let second = flights.depart()
    #expect(second.count == 16 && Set(second).isDisjoint(with: first))
  }

  @Test("What was read last counts, and what is on its way does not go again")
  func news_replaceWhatWasReady() {
    var flights = DeliveryFlights()
    flights.note(deliveries("a", 1..<9))
    let first = flights.depart()
    #expect(first.map(\.sequence) == [1, 2, 3, 4])
    flights.note(deliveries("a", 3..<5) + deliveries("a", 20..<22))
    #expect(flights.depart().isEmpty)
    flights.land(first[0])
    flights.land(first[1])
    #expect(flights.depart().map(\.sequence) == [20, 21])
    for delivery in first[2...] { flights.land(delivery) }
    #expect(flights.depart().isEmpty)
  }
}
