import AllContracts
import PeerContracts
import AuthContracts
import EntitlementContracts
import RPCKit
import Reflection
import ServiceKit
import Testing

/// What can be called by HTTP: everything that users may call, at the paths that the first product's applications
/// know.
@Suite("Methods called by HTTP with JSON")
struct RESTCoverageTests {
  /// Methods of users without a path, each with its reason.
  private static let withoutPath = [
    "Health_Check": "probes ask the admin port",
    "Health_Watch": "probes ask the admin port",
  ]

  /// Methods of services with a path, each with its reason.
  private static let withPath = [
    "TokenIntrospection_Introspect": "services of others ask as RFC 7662 says, which is by HTTP"
  ]

  private static func document() throws -> JSONObject {
    let text = OpenAPIDocument.json.description
    let limits = JSONLimits(byteCountMax: 16 << 20, depthMax: 64, valueCountMax: 1_000_000)
    return try #require(try JSONReader.read(Array(text.utf8), limits: limits).object)
  }

  /// Operations by method and path.
  private static func operations() throws -> [String: String] {
    var operations: [String: String] = [:]
    for path in try document()["paths"]?.object?.members ?? [] {
      for operation in path.value.object?.members ?? [] {
        let name = "\(operation.name.uppercased()) \(path.name)"
        operations[name] = operation.value.object?["operationId"]?.string ?? ""
      }
    }
    return operations
  }

  @Test("What Apple sends is read leniently: beside what it has signed, members may be added")
  func webhooks_ofApple_ignoreWhatIsNotSigned() {
    for method in [
      Entitlement_V1.PurchasesMethods.handleNotification, Auth_V1.IdentitiesMethods.notifyApple,
    ] {
      #expect(!method.httpBindings.isEmpty)
      for binding in method.httpBindings { #expect(binding.ignoresUnknown, "\(binding.template)") }
    }
  }

  @Test("Every method that users or operators may call has a path, or a reason to have none")
  func methods_ofUsers_havePaths() throws {
    let known = Set(try Self.operations().values)
    var missing: [String] = []
    var methodCount = 0
    for method in SchemaRegistry.gatehouse.services.flatMap(\.methods) {
      guard ["public", "user", "support", "admin"].contains(method.caller),
        !method.isClientStreaming
      else { continue }
      methodCount += 1
      let service = method.service.split(separator: ".").last ?? ""
      let name = "\(service)_\(method.name)"
      let isExplained = Self.withoutPath[name] != nil
      if known.contains(name) == isExplained { missing.append(name) }
    }
    #expect(missing.isEmpty)
    #expect(methodCount > 100)
  }

  @Test("What services call has a reason for a path, or none")
  func methods_ofServices_haveNone() throws {
    let known = Set(try Self.operations().values)
    for method in SchemaRegistry.gatehouse.services.flatMap(\.methods)
    where method.caller == "service" {
      let name = "\(method.service.split(separator: ".").last ?? "")_\(method.name)"
      #expect(known.contains(name) == (Self.withPath[name] != nil), "\(name)")
    }
  }

  /// As the plan of the first product writes them, P0 steps 3 and 5 and P1 step 2.
  private static let promised = [
    "POST /api/v1/portfolios": "Portfolios_Create",
    "GET /api/v1/portfolios": "Portfolios_List",
    "GET /api/v1/portfolios/{portfolioId}": "Portfolios_Get",
    "PUT /api/v1/portfolios/{portfolioId}": "Portfolios_Update",
    "DELETE /api/v1/portfolios/{portfolioId}": "Portfolios_Delete",
    "POST /api/v1/portfolios/{portfolioId}/properties": "Portfolios_CreateProperty",
    "GET /api/v1/portfolios/{portfolioId}/properties": "Portfolios_ListProperties",
    "POST /api/v1/portfolios/{portfolioId}/admins": "Portfolios_AddAdmin",
    "POST /api/v1/properties": "Properties_Create",
    "GET /api/v1/properties": "Properties_List",
    "GET /api/v1/properties/{propertyId}": "Properties_Get",
    "PUT /api/v1/properties/{propertyId}": "Properties_Update",
    "DELETE /api/v1/properties/{propertyId}": "Properties_Delete",
    "POST /api/v1/properties/{propertyId}/units": "Properties_CreateUnit",
    "GET /api/v1/properties/{propertyId}/units": "Properties_ListUnits",
    "POST /api/v1/properties/{propertyId}/managers": "Properties_AddManager",
    "POST /api/v1/units": "Units_Create",
    "GET /api/v1/units": "Units_List",
    "GET /api/v1/units/{unitId}": "Units_Get",
    "PUT /api/v1/units/{unitId}": "Units_Update",
    "DELETE /api/v1/units/{unitId}": "Units_Delete",
    "POST /api/v1/units/{unitId}/tenants": "Units_AddTenant",
    "GET /api/v1/units/{unitId}/tenants": "Units_ListTenants",
    "POST /api/v1/units/{unitId}/devices": "Units_AssignDevice",
    "GET /api/v1/units/{unitId}/devices": "Units_ListDevices",
    "POST /api/v1/auth/login": "Authentication_SignIn",
    "GET /api/v1/users/me": "Users_GetMe",
    "GET /api/v1/devices": "Devices_List",
    "GET /api/v1/devices/{deviceId}": "Devices_Get",
    // `lock`, `unlock` and whatever else a device can do.
    "POST /api/v1/devices/{deviceId}/{operation}": "Devices_Operate",
    "POST /api/v1/iap/validate-receipt": "Purchases_ValidateReceipt",
  ]

  @Test("The paths of the first product are those of its plan")
  func paths_ofFirstProduct() throws {
    let operations = try Self.operations()
    for (path, method) in Self.promised { #expect(operations[path] == method, "\(path)") }
  }

  @Test("Creating answers 201, everything else 200")
  func status_ofCreation() throws {
    for path in try Self.document()["paths"]?.object?.members ?? [] {
      for operation in path.value.object?.members ?? [] {
        let id = operation.value.object?["operationId"]?.string ?? ""
        let statuses = operation.value.object?["responses"]?.object?.members.map(\.name) ?? []
        #expect(statuses.contains("201") != statuses.contains("200"), "\(id)")
        if id.contains("_Create") { #expect(statuses.contains("201"), "\(id)") }
      }
    }
  }
}
