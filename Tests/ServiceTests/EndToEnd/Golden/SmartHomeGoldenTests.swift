import Foundation
import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Answers that the smart home's app decodes")
  struct SmartHomeGoldenTests {
    typealias App = SmartHomeApp

    /// A person of the house, who has been told nothing but what the app needs.
    private static func update(
      name: String? = nil,
      _ lists: [String: [String]] = [:]
    ) -> JSONValue {
      var object = JSONObject()
      if let name { object["name"] = .string(name) }
      for (name, ids) in lists.sorted(by: { $0.key < $1.key }) {
        object[name] = .array(ids.map { .string($0) })
      }
      return .object(object)
    }

    @Test("Signing up, signing in and the profile")
    func account_isDecoded() async throws {
      try await Installation.run { home in
        let stage = GoldenStage(home: home)
        let made = try await stage.golden(
          "000-signup",
          "POST",
          "auth/signup",
          by: nil,
          ["email": "ada@example.com", "password": .string(Person.password), "displayName": "ada"],
          at: home.auth
        )
        #expect(try stage.decode(App.AuthResponse.self, made).token.isEmpty == false)
        let ada = try await home.signIn("ada")
        let portfolio = try await stage.send(
          "POST",
          "portfolios",
          by: ada,
          Self.update(name: "Harbour Homes")
        ).id
        // Roles that the app cannot name are beside, and not among those that it decodes.
        let property = try await stage.send(
          "POST",
          "portfolios/\(portfolio)/properties",
          by: ada,
          Self.update(name: "Pier 4")
        ).id
        let tom = try await home.signUp("tom")
        let door = try await home.devices.register(
          .init(propertyId: property, name: "Gate", type: "lock"),
          options: ada.call
        ).id
        _ = try await home.guests.grant(
          .init(
            userId: tom.id,
            deviceIds: [door],
            validUntil: .init(milliseconds: GoldenStage.now + TestTime.day * 30)
          ),
          options: ada.call
        )
        let login = try await stage.golden(
          "000-login",
          "POST",
          "auth/login",
          by: nil,
          try stage.body(App.LoginCredentials(email: "ada@example.com", password: Person.password)),
          at: home.auth
        )
        let user = try stage.decode(App.AuthResponse.self, login).user
        #expect(user.defaultPortfolioId == portfolio && user.defaultUnitId == nil)
        let role = try #require(user.roleAssociations?.first)
        #expect(role.associatedEntityType == .portfolio && role.roleWithinEntity == .owner)
        #expect(role.associatedEntityId == portfolio && role.userId == ada.id)
        let me = try await stage.golden("000-me", "GET", "users/me", by: ada, at: home.auth)
        #expect(try stage.decode(App.User.self, me).roleAssociations == [role])
        let guest = try await stage.golden(
          "000-me-guest",
          "GET",
          "users/me",
          by: tom,
          at: home.auth
        )
        #expect(try stage.decode(App.User.self, guest).roleAssociations == [])
        #expect(guest.data["roles"]?.array?.count == 1)
      }
    }

    @Test("Portfolios")
    func portfolios_areDecoded() async throws {
      try await Installation.run { home in
        let stage = GoldenStage(home: home)
        let (ada, tom) = (try await home.signUp("ada"), try await home.signUp("tom"))
        let made = try await stage.golden(
          "000-portfolio-create",
          "POST",
          "portfolios",
          by: ada,
          Self.update(name: "Harbour Homes", ["administratorUserIds": [tom.id]])
        )
        #expect(
          try stage.decode(App.Portfolio.self, made).administratorUserIds == [ada.id, tom.id]
        )
        let path = "portfolios/\(made.id)"
        let property = try await stage.golden(
          "000-portfolio-properties-post",
          "POST",
          "\(path)/properties",
          by: ada,
          [
            "name": "Pier 4",
            "address": try stage.body(
              App.PropertyAddress(
                street: "4 Pier",
                city: "Harbour",
                state: "",
                postalCode: "4711",
                country: "Utopia"
              )
            ),
          ]
        )
        #expect(try stage.decode(App.Property.self, property).address?.postalCode == "4711")
        let list = try await stage.golden(
          "000-portfolio-list",
          "GET",
          "portfolios?page=1&limit=10&sortBy=name",
          by: ada
        )
        let portfolios = try stage.decode(App.Portfolios.self, list)
        #expect(portfolios.portfolios.map(\.propertyIds) == [[property.id]])
        let page = App.PaginationInfo(totalItems: 1, totalPages: 1, currentPage: 1, pageSize: 10)
        #expect(portfolios.pagination == page)
        try stage.decode(
          App.Portfolio.self,
          await stage.golden("000-portfolio-get", "GET", path, by: ada)
        )
        try stage.decode(
          App.Properties.self,
          await stage.golden("000-portfolio-properties-get", "GET", "\(path)/properties", by: ada)
        )
        let admin = try await stage.golden(
          "000-portfolio-admins-post",
          "POST",
          "\(path)/admins",
          by: ada,
          try stage.body(App.AddAdminToPortfolioRequest(userId: tom.id, role: .owner))
        )
        #expect(
          try stage.decode(App.User.UserRoleAssociation.self, admin).roleWithinEntity == .owner
        )
        let renamed = try await stage.golden(
          "000-portfolio-put",
          "PUT",
          path,
          by: ada,
          Self.update(name: "Harbor Homes", ["administratorUserIds": [ada.id]])
        )
        #expect(try stage.decode(App.Portfolio.self, renamed).name == "Harbor Homes")
        let full = try await stage.golden("000-portfolio-delete-full", "DELETE", path, by: ada)
        try stage.failure(full, 400)
        _ = try await stage.send("DELETE", "properties/\(property.id)", by: ada)
        let gone = try await stage.golden("000-portfolio-delete", "DELETE", path, by: ada)
        #expect(gone.status == 200)
      }
    }

    @Test("Properties")
    func properties_areDecoded() async throws {
      try await Installation.run { home in
        let stage = GoldenStage(home: home)
        let (ada, tom) = (try await home.signUp("ada"), try await home.signUp("tom"))
        let portfolio = try await stage.send(
          "POST",
          "portfolios",
          by: ada,
          Self.update(name: "Harbour Homes")
        ).id
        let made = try await stage.golden(
          "000-property-create",
          "POST",
          "properties",
          by: ada,
          ["name": "Pier 4", "portfolioId": .string(portfolio)]
        )
        let property = try stage.decode(App.Property.self, made)
        #expect(property.address == nil && property.defaultTimeZone == nil)
        let path = "properties/\(made.id)"
        let unit = try await stage.golden(
          "000-property-units-post",
          "POST",
          "\(path)/units",
          by: ada,
          Self.update(name: "Flat 1", ["tenantUserIds": [tom.id], "deviceIds": []])
        )
        #expect(try stage.decode(App.Unit.self, unit).tenantUserIds == [tom.id])
        let list = try await stage.golden(
          "000-property-list",
          "GET",
          "properties?portfolioId=\(portfolio)&page=1&limit=10&sortBy=name",
          by: ada
        )
        #expect(try stage.decode(App.Properties.self, list).properties.map(\.id) == [made.id])
        try stage.decode(
          App.Property.self,
          await stage.golden("000-property-get", "GET", path, by: ada)
        )
        try stage.decode(
          App.Units.self,
          await stage.golden("000-property-units-get", "GET", "\(path)/units", by: ada)
        )
        let manager = try await stage.golden(
          "000-property-managers-post",
          "POST",
          "\(path)/managers",
          by: ada,
          try stage.body(App.AddAdminToPortfolioRequest(userId: tom.id, role: .propertyManager))
        )
        let role = try stage.decode(App.User.UserRoleAssociation.self, manager)
        #expect(role.associatedEntityType == .property && role.roleWithinEntity == .propertyManager)
        try stage.decode(
          App.Property.self,
          await stage.golden(
            "000-property-put",
            "PUT",
            path,
            by: ada,
            ["name": "Pier 5", "address": ["city": "Harbour"], "defaultTimeZone": "Europe/Berlin"]
          )
        )
        _ = try await stage.send("DELETE", "units/\(unit.id)", by: ada)
        let gone = try await stage.golden("000-property-delete", "DELETE", path, by: ada)
        #expect(gone.status == 200)
      }
    }

    @Test("Units, as a manager and a tenant see them")
    func units_areDecoded() async throws {
      try await Installation.run { home in
        let stage = GoldenStage(home: home)
        let flat = try await Flat(in: home)
        let property = try await home.units.get(
          .init(unitId: flat.unit),
          options: flat.owner.call
        ).propertyId
        var doors: [String] = []
        for name in ["Door", "Gate"] {
          doors.append(
            try await home.devices.register(
              .init(propertyId: property, name: name, type: "lock"),
              options: flat.owner.call
            ).id
          )
        }
        let made = try await stage.golden(
          "000-unit-create",
          "POST",
          "units",
          by: flat.owner,
          [
            "name": "Flat 2", "propertyId": .string(property),
            "tenantUserIds": [.string(flat.stranger.id)],
            "commonAreaAccessIds": [.string(doors[1])],
          ]
        )
        let unit = try stage.decode(App.Unit.self, made)
        #expect(unit.commonAreaAccessIds == [doors[1]])
        let path = "units/\(made.id)"
        let device = try await stage.golden(
          "000-unit-devices-post",
          "POST",
          "\(path)/devices",
          by: flat.owner,
          ["deviceId": .string(doors[0])]
        )
        #expect(try stage.decode(App.LockDevice.self, device).unitId == made.id)
        let tenant = try await stage.golden(
          "000-unit-tenants-post",
          "POST",
          "\(path)/tenants",
          by: flat.owner,
          try stage.body(App.AddAdminToPortfolioRequest(userId: flat.tenant.id, role: .tenant))
        )
        #expect(
          try stage.decode(App.User.UserRoleAssociation.self, tenant).roleWithinEntity == .tenant
        )
        let tenants = try await stage.golden(
          "000-unit-tenants-get",
          "GET",
          "\(path)/tenants",
          by: flat.owner
        )
        #expect(
          try stage.decode(App.Tenants.self, tenants).users.map(\.displayName) == [
            "mallory", "tom",
          ]
        )
        // A tenant may not know of the property, and lists the units alone.
        for (name, person, filter) in [
          ("manager", flat.owner, "propertyId=\(property)&"), ("tenant", flat.tenant, ""),
        ] {
          let list = try await stage.golden(
            "000-unit-list-\(name)",
            "GET",
            "units?\(filter)page=1&limit=10&sortBy=name",
            by: person
          )
          #expect(
            try stage.decode(App.Units.self, list).units.map(\.name) == ["Flat 1", "Flat 2"]
          )
          let got = try await stage.golden("000-unit-get-\(name)", "GET", path, by: person)
          let unit = try stage.decode(App.Unit.self, got)
          #expect(unit.commonAreaAccessIds == [doors[1]] && unit.deviceIds == [doors[0]])
          let devices = try await stage.golden(
            "000-unit-devices-get-\(name)",
            "GET",
            "\(path)/devices",
            by: person
          )
          #expect(
            try stage.decode(App.Devices.self, devices).devices.map(\.name) == ["Door", "Gate"]
          )
        }
        let changed = try await stage.golden(
          "000-unit-put",
          "PUT",
          path,
          by: flat.owner,
          Self.update(
            name: "Flat 3",
            ["tenantUserIds": [flat.tenant.id], "deviceIds": [], "commonAreaAccessIds": doors]
          )
        )
        let kept = try stage.decode(App.Unit.self, changed)
        #expect(kept.commonAreaAccessIds == doors && kept.deviceIds.isEmpty)
        // The name from before, and the mask by the name that the app knows.
        for body: JSONValue in [
          ["commonAreaDeviceIds": [.string(doors[0])]],
          ["commonAreaAccessIds": [], "updateMask": "commonAreaAccessIds"],
        ] {
          let put = try await stage.send("PUT", path, by: flat.owner, body)
          let count = try stage.decode(App.Unit.self, put).commonAreaAccessIds?.count
          #expect(count == body.object?.members[0].value.array?.count, "\(put.json)")
        }
        let twice = try await stage.send(
          "PUT",
          path,
          by: flat.owner,
          ["commonAreaDeviceIds": [], "commonAreaAccessIds": []]
        )
        #expect(twice.status == 400)
        let refused = try await stage.golden(
          "000-unit-delete-tenant",
          "DELETE",
          path,
          by: flat.tenant
        )
        try stage.failure(refused, 403)
        let gone = try await stage.golden("000-unit-delete", "DELETE", path, by: flat.owner)
        #expect(gone.status == 200)
      }
    }

    @Test("Devices and their operations")
    func devices_areDecoded() async throws {
      try await Installation.run { home in
        let stage = GoldenStage(home: home)
        let flat = try await Flat(in: home)
        let property = try await home.units.get(
          .init(unitId: flat.unit),
          options: flat.owner.call
        ).propertyId
        var ids: [String] = []
        for (name, unit) in [("Door", flat.unit), ("Gate", "")] {
          ids.append(
            try await home.devices.register(
              .init(propertyId: property, unitId: unit, name: name, type: "lock"),
              options: flat.owner.call
            ).id
          )
        }
        let list = try await stage.golden(
          "000-devices-list",
          "GET",
          "devices?propertyId=\(property)&page=1&limit=10",
          by: flat.owner
        )
        let devices = try stage.decode(App.Devices.self, list).devices
        #expect(devices.map(\.unitId) == [flat.unit, nil])
        for (name, person) in [("manager", flat.owner), ("tenant", flat.tenant)] {
          let got = try await stage.golden(
            "000-device-get-\(name)",
            "GET",
            "devices/\(ids[0])",
            by: person
          )
          #expect(try stage.decode(App.LockDevice.self, got).propertyId == property)
        }
        for operation in ["lock", "unlock", "viewStatus"] {
          let done = try await stage.golden(
            "000-device-\(operation)",
            "POST",
            "devices/\(ids[0])/\(operation)",
            by: flat.tenant,
            [:]
          )
          #expect(done.status == 200)
        }
        for (name, person, status) in [("manager", flat.owner, 200), ("tenant", flat.tenant, 403)] {
          let done = try await stage.golden(
            "000-device-changeSettings-\(name)",
            "POST",
            "devices/\(ids[0])/changeSettings",
            by: person,
            ["parameters": ["auto_lock_seconds": 30]]
          )
          #expect(done.status == status)
        }
        let history = try await stage.golden(
          "000-device-history",
          "GET",
          "devices/\(ids[0])/history",
          by: flat.owner
        )
        let operations = history.data["records"]?.array?.map { $0.object?["operation"]?.string }
        #expect(
          Set(operations ?? []) == ["lock", "unlock", "viewStatus", "changeSettings"]
        )
      }
    }

    @Test("A receipt, and the pack in the profile")
    func receipt_isDecoded() async throws {
      try await Installation.run { home in
        let stage = GoldenStage(home: home)
        let ada = try await home.signUp("ada")
        let proof = try TransactionFields.signed {
          $0["bundleId"] = .string(Installation.bundleID)
          $0["transactionId"] = "2000000077"
          $0["originalTransactionId"] = "2000000077"
        }
        let answer = try await stage.golden(
          "000-validate-receipt",
          "POST",
          "iap/validate-receipt",
          by: ada,
          ["receiptData": .string(proof), "productId": "com.unifiedsmarthome.compliancepack1"],
          at: home.entitlement
        )
        #expect(try stage.decode(App.ReceiptAnswer.self, answer).message == "Feature enabled")
        let me = try await stage.golden("000-me-pack", "GET", "users/me", by: ada, at: home.auth)
        #expect(try stage.decode(App.User.self, me).hasCompliancePack)
      }
    }

    @Test("Errors")
    func errors_areDecoded() async throws {
      try await Installation.run { home in
        let stage = GoldenStage(home: home)
        let flat = try await Flat(in: home)
        let bad = try await stage.golden("000-error-400", "POST", "portfolios", by: flat.owner, [:])
        try stage.failure(bad, 400)
        let unknown = try await stage.golden("000-error-401", "GET", "portfolios", by: nil)
        try stage.failure(unknown, 401)
        let refused = try await stage.golden(
          "000-error-403",
          "PUT",
          "units/\(flat.unit)",
          by: flat.tenant,
          ["name": "Mine"]
        )
        try stage.failure(refused, 403)
        let hidden = try await stage.golden(
          "000-error-404",
          "GET",
          "units/\(flat.unit)",
          by: flat.stranger
        )
        try stage.failure(hidden, 404)
      }
    }
  }
}

extension GoldenStage {
  /// An error as the app decodes it.
  func failure(
    _ answer: Answer,
    _ status: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(answer.status == status, sourceLocation: sourceLocation)
    let failure = try Self.decoder.decode(SmartHomeApp.Failure.self, from: .init(answer.content))
    #expect(
      failure.status == "error" && !failure.message.isEmpty,
      sourceLocation: sourceLocation
    )
  }
}
