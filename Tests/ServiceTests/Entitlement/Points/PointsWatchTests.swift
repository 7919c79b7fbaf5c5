import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService

@Suite("Changes of points, for those who watch")
struct PointsWatchTests {
  private func events(
    after position: EntitlementWatch.Position,
    _ family: PointsFamily
  ) async throws -> EntitlementWatch.Batch {
    try #require(
      try await EntitlementWatch(core: family.fixture.service.core).events(after: position)
    )
  }

  @Test("Several changes of a holder are one event, and only for watchers that follow points")
  func points_areTold() async throws {
    try await PointsFamily.run { family in
      let core = family.fixture.service.core
      let start = EntitlementWatch.Position(
        revision: core.database.revision,
        points: core.pointsNews.end
      )
      try await family.earn("math", minutes: 10)
      try await family.redeem([("math", 11)], for: "games")
      let batch = try await events(after: start, family)
      #expect(batch.events.map(\.kind) == [.points])
      #expect(batch.events.map(\.holderId) == [family.holder])
      #expect(batch.events.map(\.pointsPlace) == [core.pointsNews.end])
      #expect(try await events(after: batch.position, family).events == [])
      // A watcher without a place for points gets no such event.
      let plain = EntitlementWatch.Position(revision: core.database.revision)
      #expect(try await events(after: plain, family).events == [])
    }
  }

  @Test("Watchers hear of points that come back because nobody answered a request")
  func request_expired_isTold() async throws {
    try await PointsFamily.run { family in
      try await family.setRule("math", earns: 2, costs: 3, requiresApproval: true)
      try await family.earn("math", minutes: 10)
      try await family.redeem([("math", 11)])
      let core = family.fixture.service.core
      let start = EntitlementWatch.Position(
        revision: core.database.revision,
        points: core.pointsNews.end
      )
      family.fixture.clock.advance(PointsRequest.lifetime)
      #expect(try await PointsRequestExpiry(identifiers: core.identifiers).run(core) == 1)
      let batch = try await events(after: start, family)
      #expect(batch.events.map(\.kind) == [.points])
      #expect(batch.events.map(\.holderId) == [family.holder])
    }
  }

  @Test("A place of another process, or one that is no longer known, stands for all holders")
  func place_unknown_isEverybody() async throws {
    try await PointsFamily.run { family in
      let core = family.fixture.service.core
      let random = SystemRandomSource()
      for place in [PointsNews(random: random).end, core.pointsNews.end + 1, 1] {
        let batch = try await events(
          after: .init(revision: core.database.revision, points: place),
          family
        )
        #expect(batch.events.map(\.kind) == [.points] && batch.events.map(\.holderId) == [""])
        #expect(batch.position.points == core.pointsNews.end)
      }
    }
  }

  @Test("Many changes are kept up to a bound")
  func news_areBounded() {
    let news = PointsNews(random: SystemRandomSource())
    let start = news.end
    for index in 0..<20_000 { news.note("chd_\(index)") }
    #expect(news.holders(after: start) == nil)
    let last = news.end
    news.note("chd_a")
    news.note("chd_b")
    news.note("chd_a")
    let found = news.holders(after: last)
    #expect(found?.holders == ["chd_a", "chd_b"] && found?.end == news.end)
  }
}
