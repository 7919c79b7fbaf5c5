import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit

@testable import ServiceTesting

/// A product that no Swift code knows: libraries with shelves and books.
enum ReadingRoom {
  static let policy = ReadingRoomPolicy.text

  /// Runs `body` against a service with this policy alone.
  static func run(_ body: (TenancyStage) async throws -> Void) async throws {
    try await TenancyStage.run(policy: [UInt8](policy.utf8), body)
  }
}

extension TenancyStage {
  var entities: Tenancy_V1.EntitiesClient { .init(channel) }
  var roles: Tenancy_V1.RolesClient { .init(channel) }

  /// Creates an entity of a type.
  func create(
    _ type: String,
    under parent: String = "",
    name: String = "A name",
    _ attributes: [String: Google_Protobuf.Value.KindOneOf] = [:],
    by user: String
  ) async throws -> Tenancy_V1.Entity {
    try await entities.create(
      .init(
        entity: .init(
          type: type,
          parentId: parent,
          name: name,
          attributes: .init(fields: attributes.mapValues { .init(kind: $0) })
        )
      ),
      options: .by(user)
    )
  }

  /// Grants a role, with a window in milliseconds from the beginning of the test.
  @discardableResult
  func grant(
    _ role: String,
    on id: String,
    to userID: String,
    from: Int64? = nil,
    until: Int64? = nil,
    by user: String
  ) async throws -> Tenancy_V1.RoleAssociation {
    try await roles.grant(
      .init(
        role: .init(
          entityId: id,
          role: role,
          userId: userID,
          validFrom: from.map { .init(milliseconds: Self.start + $0) },
          validUntil: until.map { .init(milliseconds: Self.start + $0) }
        )
      ),
      // Roles of a family take its PIN; no other policy asks for one.
      options: .by(user, acr: "pin")
    )
  }

  /// Whether a user may do something, and why not.
  func reason(_ user: String, _ action: String, _ id: String) async throws -> Tenancy_V1.Reason {
    try await permissions.check(
      .init(action: action, entityId: id),
      options: .by(user)
    ).reason
  }
}
