import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

/// An object that is read and updated by REST, by itself or in a list, and what each field of it is.
struct RevisedResource: CustomTestStringConvertible, Sendable {
  /// What becomes of a field of an answer when it is sent back.
  enum Field: Sendable {
    /// An update sets it: two values of it, each another one than is there when its turn has come.
    case writable([@Sendable (House) -> JSONValue])
    /// It is the object's own, and set by other calls or by none.
    case own
    /// It is of another object, or depends on the reader: the revision does not cover it.
    case foreign
    /// The revision itself.
    case revision
  }

  /// The message, by its full name.
  let type: String
  /// The service that has it.
  let service: String
  /// The method that updates it, by its path: `tenancy.v1.Units/Update`.
  let update: String
  /// The field of the update that names the object, and the object; none for the caller's own.
  let key: (name: String, id: @Sendable (House) -> String)?
  /// The path by REST, without the object.
  let path: String
  /// The parameters of the list that it is read from, if it is not read by itself.
  var list: (@Sendable (House) -> String)?
  /// The person who updates it.
  let editor: @Sendable (House) -> Person
  /// Whether all of it can be sent back.
  var isPutBack = true
  /// Fields that REST writes differently from other wires.
  var spelledByREST: Set<String> = []
  /// What each field of the message is, by JSON names.
  let fields: [String: Field]

  var testDescription: String { type }

  /// Fields that an update sets, in an order.
  var writable: [(name: String, values: [@Sendable (House) -> JSONValue])] {
    fields.sorted { $0.key < $1.key }.compactMap { name, field in
      if case .writable(let values) = field { (name, values) } else { nil }
    }
  }

  /// The target by REST.
  func target(_ house: House) -> String { "/api/v1/\(path)\(key.map { "/\($0.id(house))" } ?? "")" }

  private static func texts(_ texts: String...) -> Field {
    .writable(texts.map { text in { _ in .string(text) } })
  }

  private static func values(_ values: JSONValue...) -> Field {
    .writable(values.map { value in { _ in value } })
  }

  private static func ids(_ lists: (@Sendable (House) -> [String])...) -> Field {
    .writable(lists.map { list in { house in .array(list(house).map { .string($0) }) } })
  }

  static let all: [RevisedResource] = [
    RevisedResource(
      type: "tenancy.v1.Portfolio",
      service: "tenancy",
      update: "tenancy.v1.Portfolios/Update",
      key: ("portfolioId", { $0.portfolio }),
      path: "portfolios",
      editor: { $0.owner },
      fields: [
        "id": .own, "name": texts("One", "Two"),
        "administratorUserIds": ids(
          { [$0.owner.id, $0.admin.id, $0.guest.id] },
          { [$0.owner.id, $0.admin.id] }
        ),
        "propertyIds": .foreign, "createdAt": .own, "updatedAt": .own, "revision": .revision,
        "administrators": .foreign, "propertyCount": .foreign, "propertyIdsCut": .foreign,
      ]
    ),
    RevisedResource(
      type: "tenancy.v1.Property",
      service: "tenancy",
      update: "tenancy.v1.Properties/Update",
      key: ("propertyId", { $0.property }),
      path: "properties",
      editor: { $0.admin },
      fields: [
        "id": .own, "name": texts("One", "Two"), "portfolioId": .own,
        "address": values(
          ["street": "4 Pier", "city": "", "state": "", "postalCode": "", "country": ""],
          ["street": "", "city": "Port", "state": "S", "postalCode": "1", "country": "C"]
        ),
        "managerUserIds": ids({ [$0.manager.id, $0.guest.id] }, { [$0.manager.id] }),
        "unitIds": .foreign, "defaultTimeZone": texts("Europe/Berlin", "Asia/Tokyo"),
        "createdAt": .own, "updatedAt": .own, "revision": .revision, "managers": .foreign,
        "unitCount": .foreign, "unitIdsCut": .foreign,
      ]
    ),
    RevisedResource(
      type: "tenancy.v1.Unit",
      service: "tenancy",
      update: "tenancy.v1.Units/Update",
      key: ("unitId", { $0.unit }),
      path: "units",
      editor: { $0.manager },
      fields: [
        "id": .own, "name": texts("One", "Two"), "propertyId": .own,
        "tenantUserIds": ids({ [$0.tenant.id, $0.guest.id] }, { [$0.tenant.id] }),
        "deviceIds": ids({ [$0.door, $0.cellar].sorted() }, { [$0.door] }),
        "commonAreaAccessIds": ids({ [$0.cellar, $0.gate] }, { [$0.gate, $0.cellar] }),
        "createdAt": .own, "updatedAt": .own, "revision": .revision, "propertyName": .foreign,
        "propertyAddress": .foreign, "tenants": .foreign, "deviceCount": .own, "deviceIdsCut": .own,
        "tenantsHidden": .foreign,
      ]
    ),
    RevisedResource(
      type: "tenancy.v1.Device",
      service: "tenancy",
      update: "tenancy.v1.Devices/Update",
      key: ("deviceId", { $0.door }),
      path: "devices",
      editor: { $0.manager },
      fields: [
        "id": .own, "name": texts("One", "Two"), "type": .own, "propertyId": .own, "unitId": .own,
        "attributes": values(
          ["remote_operation_enabled": false],
          ["remote_operation_enabled": true]
        ),
        "desiredState": .own, "createdAt": .own, "updatedAt": .own, "revision": .revision,
        "propertyName": .foreign, "unitName": .foreign, "desired": .foreign, "reportedAt": .foreign,
      ]
    ),
    RevisedResource(
      type: "tenancy.v1.Entity",
      service: "tenancy",
      update: "tenancy.v1.Entities/Update",
      key: ("entityId", { $0.gate }),
      path: "entities",
      editor: { $0.manager },
      fields: [
        "id": .own, "type": .own, "parentId": .own, "name": texts("One", "Two"),
        "attributes": values(
          ["remote_operation_enabled": false],
          ["remote_operation_enabled": true]
        ),
        "accessLevel": .foreign, "visibleAttributes": .foreign, "createdAt": .own,
        "updatedAt": .own, "revision": .revision,
      ]
    ),
    RevisedResource(
      type: "tenancy.v1.GuestPass",
      service: "tenancy",
      update: "tenancy.v1.Guests/Update",
      key: ("passId", { $0.pass }),
      path: "guest-passes",
      list: { "deviceId=\($0.door)" },
      editor: { $0.tenant },
      isPutBack: false,
      fields: [
        "id": .own, "userId": .own, "deviceId": .own,
        "validFrom": texts("2026-01-15T12:05:00Z", "2026-01-15T12:10:00Z"),
        "validUntil": texts("2026-01-15T12:50:00Z", "2026-01-15T12:40:00Z"), "grantedBy": .own,
        "createdAt": .own, "deviceName": .foreign,
        "recurring": .own, "invitationId": .own, "displayName": .foreign,
        "grantedByName": .foreign, "entityType": .own, "entityId": .own, "entityName": .foreign,
        "includesCommonAreas": .own, "updatedAt": .own, "revision": .revision, "email": .own,
      ]
    ),
    RevisedResource(
      type: "tenancy.v1.Invitation",
      service: "tenancy",
      update: "tenancy.v1.Invitations/Update",
      key: ("invitationId", { $0.invitation }),
      path: "invitations",
      list: { "entityId=\($0.unit)" },
      editor: { $0.manager },
      isPutBack: false,
      fields: [
        "id": .own, "entityId": .own, "entityType": .own, "entityName": .foreign, "role": .own,
        "email": .own, "validFrom": texts("2026-01-16T12:00:00Z", "2026-01-17T12:00:00Z"),
        "validUntil": texts("2026-01-25T12:00:00Z", "2026-01-24T12:00:00Z"),
        "expiresAt": texts("2026-01-20T12:00:00Z", "2026-01-19T12:00:00Z"), "state": .own,
        "invitedBy": .own, "createdAt": .own,
        "closedAt": .own, "closedBy": .own,
        "recurring": values(
          ["days": ["monday"], "from": "08:00", "until": "18:00", "timeZone": "Europe/Berlin"],
          ["days": ["sunday"], "from": "22:00", "until": "06:00", "timeZone": "UTC"]
        ),
        "convertedFrom": .own, "invitedByName": .foreign, "updatedAt": .own,
        "revision": .revision, "mailedAt": .own,
      ]
    ),
    RevisedResource(
      type: "auth.v1.User",
      service: "auth",
      update: "auth.v1.Users/UpdateProfile",
      key: nil,
      path: "users/me",
      editor: { $0.tenant },
      spelledByREST: ["settings", "planDetails", "plans"],
      fields: [
        "id": .own, "email": .own, "emailVerified": .own, "displayName": texts("One", "Two"),
        "firstName": texts("Ada", "Bob"), "lastName": texts("A", "B"),
        "roleAssociations": .foreign, "defaultPortfolioId": .own, "defaultPropertyId": .own,
        "defaultUnitId": .own, "hasCompliancePack": .foreign, "plan": .foreign,
        "missingContext": .foreign, "createdAt": .own, "updatedAt": .own,
        "language": texts("de", "en"),
        "photoUrl": texts("https://img.example/1.png", "https://img.example/2.png"),
        "timeZone": texts("Europe/Berlin", "Asia/Tokyo"), "settings": .own,
        "activities": .foreign, "planDetails": .foreign, "plans": .foreign, "revision": .revision,
        "roles": .foreign,
        "uid": .own, "isEmailVerified": .own, "streakCount": .foreign, "totalCheckins": .foreign,
        "messagesThisWeek": .foreign,
      ]
    ),
  ]
}
