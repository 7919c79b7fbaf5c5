import AllContracts
import TestingContracts
import RPCKit
import Reflection
import ServiceKit
import Testing

@Suite("The contracts as data")
struct SchemaRegistryTests {
  @Test("Every service of Gatehouse is known")
  func gatehouse_services_areComplete() {
    #expect(
      SchemaRegistry.gatehouse.services.map(\.fullName) == [
        "auth.v1.Accounts",
        "auth.v1.Authentication",
        "auth.v1.Children",
        "auth.v1.ConsoleSessions",
        "auth.v1.Deletions",
        "auth.v1.Exports",
        "auth.v1.FamilyEnds",
        "auth.v1.Identities",
        "auth.v1.Imports",
        "auth.v1.Keys",
        "auth.v1.Operators",
        "auth.v1.Passkeys",
        "auth.v1.SecondFactors",
        "auth.v1.Sessions",
        "auth.v1.StepUp",
        "auth.v1.TokenIntrospection",
        "auth.v1.UserChanges",
        "auth.v1.Users",
        "entitlement.v1.EntitlementAudit",
        "entitlement.v1.EntitlementExports",
        "entitlement.v1.Entitlements",
        "entitlement.v1.FeatureFlags",
        "entitlement.v1.Holders",
        "entitlement.v1.Points", "entitlement.v1.PointsSummaries",
        "entitlement.v1.Purchases",
        "entitlement.v1.Subscriptions",
        "envoy.service.auth.v3.Authorization", "event.v1.Events",
        "grpc.health.v1.Health", "tenancy.v1.AppWatch", "tenancy.v1.Associations",
        "tenancy.v1.AuthZen", "tenancy.v1.ChildDevices",
        "tenancy.v1.Devices",
        "tenancy.v1.Documents", "tenancy.v1.Entities", "tenancy.v1.Erasure", "tenancy.v1.Families",
        "tenancy.v1.Guests",
        "tenancy.v1.Invitations", "tenancy.v1.LegacyDocuments", "tenancy.v1.People",
        "tenancy.v1.Permissions",
        "tenancy.v1.Policies",
        "tenancy.v1.Portfolios", "tenancy.v1.Properties", "tenancy.v1.Reports",
        "tenancy.v1.RoleDefinitions", "tenancy.v1.Roles", "tenancy.v1.Schemas",
        "tenancy.v1.Subjects", "tenancy.v1.TenancyAudit",
        "tenancy.v1.TenancyExports",
        "tenancy.v1.Units", "tenancy.v1.Webhooks",
      ]
    )
  }

  @Test("Every method says who may call it, and its types are known")
  func gatehouse_methods_haveCallersAndTypes() throws {
    let registry = SchemaRegistry.gatehouse
    var methodCount = 0
    for method in registry.services.flatMap(\.methods) {
      methodCount += 1
      #expect(["public", "user", "service", "support", "admin"].contains(method.caller))
      try check(method.requestType, in: registry)
      try check(method.responseType, in: registry)
    }
    #expect(methodCount > 60)
  }

  /// Every type that a message is made of can be found.
  private func check(_ type: String, in registry: SchemaRegistry) throws {
    var seen: Set<String> = []
    var rest = [type]
    while let name = rest.popLast() {
      guard seen.insert(name).inserted else { continue }
      for field in try registry.message(name).fields {
        if field.kind == .message { rest.append(field.typeName) }
        if field.kind == .enum { _ = try registry.enumeration(field.typeName) }
      }
    }
  }

  @Test("Data and generated code agree on every option of a method")
  func methods_ofDescriptor_areThoseOfGeneratedCode() throws {
    let service = try #require(RichRegistry.registry.services.first)
    #expect(service.methods.map(\.name) == ["Echo", "Expand", "Collect", "Converse"])
    let generated = [
      Testing_V1.RichMethods.echo, Testing_V1.RichMethods.expand, Testing_V1.RichMethods.collect,
      Testing_V1.RichMethods.converse,
    ]
    for (schema, method) in zip(service.methods, generated) {
      #expect(schema.service == method.service)
      #expect(schema.caller == method.callerClass.rawValue)
      #expect(schema.callingServices == method.callingServices)
      #expect(schema.stepUp == method.stepUp ?? "")
      #expect(schema.isIdempotent == method.isIdempotent)
      #expect(schema.requestType == method.requestType)
      #expect(schema.responseType == method.responseType)
    }
  }

  @Test("Methods and types are found without their package when that is clear")
  func lookup_withoutPackage_findsWhatIsClear() {
    let registry = SchemaRegistry.gatehouse
    #expect(registry.method("Portfolios/Create")?.service == "tenancy.v1.Portfolios")
    #expect(registry.method("tenancy.v1.Portfolios/Create")?.name == "Create")
    #expect(registry.method("Portfolios/Crate") == nil)
    #expect(registry.method("folios/Create") == nil)
    #expect(registry.method("Portfolios") == nil)
    #expect(registry.typeNames(matching: "Portfolio") == ["tenancy.v1.Portfolio"])
    #expect(registry.typeNames(matching: "Device") == ["auth.v1.Device", "tenancy.v1.Device"])
    #expect(registry.typeNames(matching: "ortfolio") == [])
  }

  @Test("Without its comments a contract says the same of its messages")
  func registry_withoutComments_knowsTheSameTypes() throws {
    let registry = try SchemaRegistry(SchemaRegistry.contracts, readsComments: false)
    let whole = SchemaRegistry.gatehouse
    #expect(registry.services.map(\.fullName) == whole.services.map(\.fullName))
    let (message, known) = (
      try registry.message("tenancy.v1.Portfolio"), try whole.message("tenancy.v1.Portfolio")
    )
    #expect(!known.comment.isEmpty && message.comment.isEmpty)
    #expect(message.fields.map(\.name) == known.fields.map(\.name))
    #expect(message.fields.map(\.number) == known.fields.map(\.number))
    #expect(message.fields.allSatisfy { $0.comment.isEmpty })
  }

  @Test("Bytes that are no descriptor are refused")
  func registry_ofOtherBytes_isRefused() {
    // file.message_type = 4, and then less than its length says.
    let file = EmbeddedDescriptor(name: "bad.proto", base64: "IgUB")
    #expect(throws: SchemaError.self) { try SchemaRegistry([file]) }
  }
}
