import PeerContracts
import RPCKit
import RPCKitTesting
import TenancyContracts
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Lists of entities by numbers of pages")
struct EntityPageTests {
  @Test("Pages by number are those by tokens; of filtered lists there is the first one alone")
  func list_byNumber_isCounted() async throws {
    try await ReadingRoom.run { stage in
      for number in 0..<5 {
        _ = try await stage.create("library", name: "L\(number)", by: "usr_hanna")
        stage.clock.advance(1)
      }
      try await ListProbe.check("name", "-name") { sortBy, size, page, token in
        let answer = try await stage.entities.list(
          .init(type: "library", sortBy: sortBy, pageSize: size, pageToken: token, page: page),
          options: .by("usr_hanna")
        )
        #expect(answer.totalSize == 5)
        return (answer.entities.map(\.name), answer.nextPageToken)
      }
      func reason(_ page: UInt32, _ size: UInt32, filtered: Bool = false) async throws -> String? {
        let filters: [Tenancy_V1.AttributeFilter] =
          filtered ? [.init(name: "pages", atLeast: 1)] : []
        return try await refusal {
          try await stage.entities.list(
            .init(
              type: filtered ? "book" : "library",
              filters: filters,
              pageSize: size,
              page: page
            ),
            options: .by("usr_hanna")
          )
        }?.reason
      }
      #expect(try await reason(11, 1000) == "PAGE_OUT_OF_REACH")
      #expect(try await reason(1, 1, filtered: true) == nil)
      #expect(try await reason(2, 1, filtered: true) == "PAGE_OUT_OF_REACH")
    }
  }
}
