import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

/// A page that the request allows may be more than a frame takes.
@Suite("Pages that are larger than a frame")
struct LargePageTests {
  private static let deviceCount = 400
  /// Together more than a frame of 4 MiB.
  private static let noteByteCount = 12 << 10

  @Test(
    "The page ends early, and all pages together have everything once",
    arguments: [
      "name", "created_at",
    ]
  )
  func devices_largerThanFrame_areCompleteOverPages(sortBy: String) async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      var note = Google_Protobuf.Value()
      note.kind = .stringValue(String(repeating: "x", count: Self.noteByteCount))
      let attributes = Google_Protobuf.Struct(fields: ["note": note])
      var made: Set<String> = [home.door, home.gate, home.cellar]
      for number in 0..<Self.deviceCount {
        // Many of one name, so that names alone do not say where a page ends.
        let device = try await stage.devices.register(
          .init(
            propertyId: home.property,
            name: "Lamp \(number % 3)",
            type: "light",
            attributes: attributes
          ),
          options: .by(home.manager)
        )
        made.insert(device.id)
      }
      var listed: [String] = []
      var sizes: [Int] = []
      var token = ""
      repeat {
        let page = try await stage.devices.list(
          .init(pageSize: 1000, pageToken: token, sortBy: sortBy),
          options: .by(home.manager)
        )
        #expect(page.totalSize == UInt64(made.count))
        try #require(!page.devices.isEmpty)
        sizes.append(page.protobufBytes.count)
        listed += page.devices.map(\.id)
        token = page.nextPageToken
      } while !token.isEmpty
      #expect(listed.count == made.count && Set(listed) == made)
      #expect(sizes.reduce(0, +) > 4 << 20)
      #expect(sizes.count == 3 && sizes.allSatisfy { $0 < 4 << 20 }, "\(sizes)")

      // A page by number cannot end early: the next one would leave out what did not fit.
      let refused = try await refusal {
        try await stage.devices.list(
          .init(pageSize: 1000, sortBy: sortBy, page: 1),
          options: .by(home.manager)
        )
      }
      #expect(refused == Refusal(.invalidArgument, "PAGE_TOO_LARGE"))
    }
  }

  @Test("An item that is larger than the budget makes a page of its own")
  func budget_takesOneAtLeast() {
    var large = Google_Protobuf.Value()
    large.kind = .stringValue(String(repeating: "x", count: AnswerBudget.byteCountMax))
    var budget = AnswerBudget()
    let takes = [budget.takes(large), budget.takes(Google_Protobuf.Value())]
    #expect(takes == [true, false])
  }
}
