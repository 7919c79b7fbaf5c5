import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

/// The rule of `RequestedPage`, in each of the lists that once bound their tokens to a size, and in one that did not.
@Suite("Sizes of pages")
struct PageSizeTests {
  /// How many elements pages have: the first by its size, then by the token alone, by a token and another size,
  /// and by the token of that alone.
  private func sizes(
    _ list: (_ size: UInt32, _ token: String) async throws -> (count: Int, next: String)
  ) async throws -> [Int] {
    var (sizes, token): ([Int], String) = ([], "")
    for size in [2, 0, 3, 0] as [UInt32] {
      let page = try await list(size, token)
      sizes.append(page.count)
      token = page.next
    }
    return sizes
  }

  @Test("Beside a token no size is the size as before, and another one is the next page's")
  func token_alone_keepsTheSize() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      for number in 0..<12 {
        _ = try await stage.devices.register(
          .init(propertyId: home.property, name: "Lamp \(number)", type: "light"),
          options: .by(home.manager)
        )
        _ = try await stage.units.addTenant(
          .init(unitId: home.unit, userId: "usr_tenant\(number)"),
          options: .by(home.manager)
        )
      }
      let by = CallOptions.by(home.owner)
      let expected = [2, 2, 3, 3]
      let devices = try await sizes { size, token in
        let page = try await stage.devices.list(
          .init(pageSize: size, pageToken: token),
          options: by
        )
        return (page.devices.count, page.nextPageToken)
      }
      #expect(devices == expected)
      let entities = try await sizes { size, token in
        let page = try await Tenancy_V1.EntitiesClient(stage.channel).list(
          .init(type: "device", pageSize: size, pageToken: token),
          options: by
        )
        return (page.entities.count, page.nextPageToken)
      }
      #expect(entities == expected)
      let accessible = try await sizes { size, token in
        let page = try await stage.permissions.listAccessible(
          .init(action: "device.view", entityType: "device", pageSize: size, pageToken: token),
          options: by
        )
        return (page.entityIds.count, page.nextPageToken)
      }
      #expect(accessible == expected)
      let subjects = try await sizes { size, token in
        let page = try await stage.permissions.listSubjects(
          .init(entityId: home.unit, action: "unit.view", pageSize: size, pageToken: token),
          options: by
        )
        return (page.subjects.count, page.nextPageToken)
      }
      #expect(subjects == expected)
      let fetched = try await sizes { size, token in
        let page = try await stage.permissions.fetch(
          .init(entityId: home.portfolio, pageSize: size, pageToken: token),
          options: by
        )
        return (page.entities.count, page.nextPageToken)
      }
      #expect(fetched == expected)
      let associations = try await sizes { size, token in
        let page = try await stage.associations.listByEntity(
          .init(entityId: home.unit, pageSize: size, pageToken: token),
          options: by
        )
        return (page.associations.count, page.nextPageToken)
      }
      #expect(associations == expected)
      let documents = DocumentClient(stage: stage, user: home.owner)
      try await documents.write((0..<12).map { documents.putting("m\($0)") })
      let listed = try await sizes { size, token in
        let page = try await documents.calls.list(
          .init(collection: "moods", pageSize: size, pageToken: token),
          options: by
        )
        return (page.documents.count, page.nextPageToken)
      }
      #expect(listed == expected)
    }
  }
}
