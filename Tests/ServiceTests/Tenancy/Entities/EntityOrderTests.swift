import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import TenancyService

@Suite("Orders of lists of entities")
struct EntityOrderTests {
  /// Lists the libraries page by page.
  private static func names(
    _ stage: TenancyStage,
    _ sortBy: String,
    descending: Bool = false
  ) async throws -> [String] {
    var request = Tenancy_V1.ListEntitiesRequest(type: "library", pageSize: 2)
    (request.sortBy, request.descending) = (sortBy, descending)
    var names: [String] = []
    repeat {
      let page = try await stage.entities.list(request, options: .by("usr_hanna"))
      names += page.entities.map(\.name)
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    return names
  }

  private static func run(_ body: (TenancyStage) async throws -> Void) async throws {
    try await ReadingRoom.run { stage in
      for name in ["B", "C", "A"] {
        _ = try await stage.create("library", name: name, by: "usr_hanna")
        // Those of one millisecond are in no order of creation.
        stage.clock.advance(1)
      }
      try await body(stage)
    }
  }

  @Test(
    "A minus in front of a field turns the order round",
    arguments: [
      ("-name", ["C", "B", "A"]), ("createdAt", ["B", "C", "A"]), ("-createdAt", ["A", "C", "B"]),
      ("-created_at", ["A", "C", "B"]),
    ]
  )
  func list_minus_isReversed(_ sortBy: String, _ expected: [String]) async throws {
    try await Self.run { stage in
      let names = try await Self.names(stage, sortBy)
      #expect(names == expected)
    }
  }

  @Test("A list is not turned round twice, and not by a field that it does not sort by")
  func list_minusAndDescending_isRefused() async throws {
    try await Self.run { stage in
      let twice = try await refusal {
        _ = try await Self.names(stage, "-name", descending: true)
      }
      #expect(twice == Refusal(.invalidArgument, "FIELDS_EXCLUSIVE"))
      for sortBy in ["--name", "-", "-updated_at"] {
        let unknown = try await refusal { _ = try await Self.names(stage, sortBy) }
        #expect(unknown?.code == .invalidArgument, "\(sortBy)")
      }
    }
  }
}
