import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Units and devices, as an app sees them by REST")
  struct TenancyByRESTTests {
    private static func send(
      _ home: Installation,
      _ person: Person,
      _ method: String,
      _ path: String,
      _ body: String? = nil,
      at service: ServiceProcess? = nil
    ) async throws -> (status: Int, body: JSONObject) {
      let fields = [
        (name: "authorization", value: "Bearer \(person.tokens.accessToken)"),
        (name: "content-type", value: "application/json"),
      ]
      let answer = try await (service ?? home.tenancy).http.send(
        method,
        "/api/v1/\(path)",
        body == nil ? [fields[0]] : fields,
        body.map { Array($0.utf8) }
      )
      let json = try JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 20))
      return (answer.status, try #require(json.object))
    }

    @Test(
      "A tenant's screens: the flat with its building's address, and its devices by their places"
    )
    func tenant_seesWhereItLives() async throws {
      try await Installation.run { home in
        let flat = try await Flat(in: home)
        let unit = try await home.units.get(.init(unitId: flat.unit), options: flat.owner.call)
        _ = try await home.properties.update(
          .init(propertyId: unit.propertyId, address: .init(street: "4 Pier", city: "Harbour")),
          options: flat.owner.call
        )
        var ids: [String] = []
        for (name, place) in [("Door", flat.unit), ("Gate", "")] {
          ids.append(
            try await home.devices.register(
              .init(propertyId: unit.propertyId, unitId: place, name: name, type: "lock"),
              options: flat.owner.call
            ).id
          )
        }
        _ = try await home.units.update(
          .init(unitId: flat.unit, commonAreaDevices: .init(deviceIds: [ids[1]])),
          options: flat.owner.call
        )
        let seen = try await Self.send(home, flat.tenant, "GET", "units/\(flat.unit)")
        #expect(seen.status == 200)
        let data = seen.body["data"]?.object
        #expect(data?["propertyName"]?.string == "Pier 4")
        #expect(data?["propertyAddress"]?.object?["street"]?.string == "4 Pier")
        let hidden = try await Self.send(home, flat.tenant, "GET", "properties/\(unit.propertyId)")
        #expect(hidden.status == 404)
        let listed = try await Self.send(home, flat.tenant, "GET", "devices?unitId=\(flat.unit)")
        let devices = listed.body["data"]?.object?["devices"]?.array?.compactMap(\.object) ?? []
        #expect(devices.map { $0["name"]?.string } == ["Door", "Gate"])
        #expect(devices.allSatisfy { $0["propertyName"]?.string == "Pier 4" })
        #expect(devices.first?["unitName"]?.string == "Flat 1")
      }
    }

    @Test("A screen of a flat names its tenant, by the new name once it has another one")
    func tenant_isNamed() async throws {
      try await Installation.run { home in
        let flat = try await Flat(in: home)
        func tenants() async throws -> [String?] {
          let unit = try await Self.send(home, flat.owner, "GET", "units/\(flat.unit)")
          let tenants = unit.body["data"]?.object?["tenants"]?.array ?? []
          return tenants.map { $0.object?["displayName"]?.string }
        }
        #expect(try await tenants() == ["tom"])
        _ = try await home.users.updateProfile(
          .init(displayName: "Thomas"),
          options: flat.tenant.call
        )
        let isRenamed = try await home.tenancy.eventually { try await tenants() == ["Thomas"] }
        #expect(isRenamed)
      }
    }

    @Test("People are looked up by those who may list the roles where they have one")
    func people_areLookedUp() async throws {
      try await Installation.run { home in
        let flat = try await Flat(in: home)
        func get(_ person: Person, by asker: Person) async throws -> (Int, String?) {
          let answer = try await Self.send(home, asker, "GET", "users/\(person.id)", at: home.auth)
          return (answer.status, answer.body["data"]?.object?["displayName"]?.string)
        }
        #expect(try await get(flat.tenant, by: flat.owner) == (200, "tom"))
        #expect(try await get(flat.tenant, by: flat.stranger) == (404, nil))
        #expect(try await get(flat.owner, by: flat.tenant) == (404, nil))
        let people = [flat.tenant, flat.stranger, flat.owner].map { "\"\($0.id)\"" }
        let found = try await Self.send(
          home,
          flat.owner,
          "POST",
          "users:lookup",
          #"{"userIds": [\#(people.joined(separator: ","))]}"#,
          at: home.auth
        )
        let users = found.body["data"]?.object?["users"]?.array ?? []
        #expect(users.map { $0.object?["displayName"]?.string } == ["tom", "ada"])
        let many = (0...1000).map { "\"usr_\($0)\"" }.joined(separator: ",")
        let refused = try await Self.send(
          home,
          flat.owner,
          "POST",
          "users:lookup",
          #"{"userIds": [\#(many)]}"#,
          at: home.auth
        )
        #expect(refused.status == 400)
      }
    }

    @Test("A device of another unit is moved by take, and by no list of devices")
    func device_ofAnotherUnit_isTakenKnowingly() async throws {
      try await Installation.run { home in
        let flat = try await Flat(in: home)
        let property = try await home.units.get(
          .init(unitId: flat.unit),
          options: flat.owner.call
        ).propertyId
        let door = try await home.devices.register(
          .init(propertyId: property, unitId: flat.unit, name: "Door", type: "lock"),
          options: flat.owner.call
        ).id
        let other = try await home.units.create(
          .init(propertyId: property, name: "Flat 2"),
          options: flat.owner.call
        ).id
        for (method, path, body) in [
          (
            "POST", "units",
            #"{"propertyId": "\#(property)", "name": "F", "deviceIds": ["\#(door)"]}"#
          ),
          ("PUT", "units/\(other)", #"{"deviceIds": ["\#(door)"]}"#),
          ("PATCH", "units/\(other)", #"{"deviceIds": ["\#(door)"]}"#),
          ("POST", "units/\(other)/devices", #"{"deviceId": "\#(door)"}"#),
        ] {
          let refused = try await Self.send(home, flat.owner, method, path, body)
          #expect(refused.status == 400, "\(method) \(path)")
          let reason = refused.body["details"]?.object?["reason"]?.string
          #expect(reason == "DEVICE_ELSEWHERE", "\(method) \(path)")
        }
        let taken = try await Self.send(
          home,
          flat.owner,
          "POST",
          "units/\(other)/devices",
          #"{"deviceId": "\#(door)", "take": true}"#
        )
        #expect(taken.status == 200 && taken.body["data"]?.object?["unitId"]?.string == other)
      }
    }

    @Test("A list put twice with one revision is kept: the second one gets 409, and by Connect too")
    func list_putTwice_isKept() async throws {
      try await Installation.run { home in
        let flat = try await Flat(in: home)
        let people = (try await home.signUp("iris"), try await home.signUp("jonas"))
        let path = "units/\(flat.unit)"
        func tenants(_ person: Person, _ revision: String) -> String {
          #"{"tenantUserIds": ["\#(person.id)"], "expectedRevision": "\#(revision)"}"#
        }
        let seen = try await Self.send(home, flat.owner, "GET", path)
        let revision = try #require(seen.body["data"]?.object?["revision"]?.string)
        let first = try await Self.send(
          home,
          flat.owner,
          "PUT",
          path,
          tenants(people.0, revision)
        )
        #expect(first.status == 200)
        let changed = first.body["data"]?.object
        #expect(changed?["revision"]?.string != revision)
        #expect(changed?["updatedAt"] != seen.body["data"]?.object?["updatedAt"])
        let second = try await Self.send(
          home,
          flat.owner,
          "PUT",
          path,
          tenants(people.1, revision)
        )
        #expect(second.status == 409)
        #expect(second.body["details"]?.object?["reason"]?.string == "REVISION_MISMATCH")
        let answer = try await home.tenancy.http.send(
          "POST",
          "/tenancy.v1.Units/Update",
          [
            (name: "authorization", value: "Bearer \(flat.owner.tokens.accessToken)"),
            (name: "content-type", value: "application/json"),
          ],
          Array(
            #"{"unitId": "\#(flat.unit)", "name": "F", "expectedRevision": "\#(revision)"}"#.utf8
          )
        )
        #expect(answer.status == 409)
        #expect(String(decoding: answer.content, as: UTF8.self).contains("\"aborted\""))
        let now = try await Self.send(home, flat.owner, "GET", path)
        // Names of people who are new here come when AuthService has told them.
        var shown = now.body["data"]?.object
        shown?["tenants"] = changed?["tenants"]
        #expect(shown == changed)
      }
    }

    @Test("An app reads the schema once, and then only whether it is still that one")
    func schema_isKept() async throws {
      try await Installation.run { home in
        let flat = try await Flat(in: home)
        let field = (name: "authorization", value: "Bearer \(flat.tenant.tokens.accessToken)")
        let path = "/api/v1/schema?types=device"
        let first = try await home.tenancy.http.send("GET", path, [field], nil)
        #expect(first.status == 200)
        #expect(first.fields["cache-control"] == "private, max-age=60")
        let tag = try #require(first.fields["etag"])
        let json = try JSONReader.read(first.content, limits: JSONLimits(byteCountMax: 1 << 20))
        let types = json.object?["data"]?.object?["types"]?.array
        #expect(types?.compactMap { $0.object?["name"]?.string } == ["device"])
        let again = try await home.tenancy.http.send(
          "GET",
          path,
          [field, (name: "if-none-match", value: tag)],
          nil
        )
        #expect(again.status == 304 && again.content.isEmpty)
        let stranger = try await home.tenancy.http.send("GET", path, [], nil)
        #expect(stranger.status == 401)
      }
    }

    @Test("A tenant sets its own thermostat; what is wrong with a value is said of its field")
    func tenant_setsTemperature() async throws {
      try await Installation.run { home in
        let flat = try await Flat(in: home)
        let unit = try await home.units.get(.init(unitId: flat.unit), options: flat.owner.call)
        let heater = try await home.devices.register(
          .init(
            propertyId: unit.propertyId,
            unitId: flat.unit,
            name: "Heater",
            type: "thermostat"
          ),
          options: flat.owner.call
        ).id
        let path = "devices/\(heater)"
        for (operation, body) in [
          ("set_temperature", #"{"celsius": 21.5}"#), ("setTemperature", #"{"celsius": 21.5}"#),
          ("setTemperature", #"{"parameters": {"celsius": 21.5}, "idempotencyKey": "k"}"#),
          ("setTemperature", #"{"celsius": 21.5, "idempotencyKey": "l"}"#),
          ("viewStatus", "{}"), ("set_mode", #"{"mode": "eco"}"#),
        ] {
          let set = try await Self.send(home, flat.tenant, "POST", "\(path)/\(operation)", body)
          #expect(set.status == 200, "\(operation) \(body): \(set.body)")
        }
        for (body, problem) in [
          (#"{"celsius": "very hot"}"#, "parameters.celsius must be a number (°C)"),
          (#"{"celsius": "NaN"}"#, "parameters.celsius must be a number (°C)"),
          (#"{"celsius": 1e308}"#, "parameters.celsius must be between 5 and 35 (°C)"),
          ("{}", "parameters.celsius must be set"),
          (
            #"{"celsius": 21.5, "fan_speed": 3}"#,
            "parameters.fan_speed is not a parameter of set_temperature; it takes celsius"
          ),
        ] {
          let refused = try await Self.send(
            home,
            flat.tenant,
            "POST",
            "\(path)/set_temperature",
            body
          )
          #expect(refused.status == 400, "\(body)")
          #expect(refused.body["message"]?.string == problem, "\(refused.body)")
          let violations = refused.body["details"]?.object?["fieldViolations"]?.array
          let field = violations?.first?.object?["field"]?.string
          #expect(field.map { problem.hasPrefix($0 + " ") } == true, "\(refused.body)")
        }
        // A body with parameters has no others beside them.
        let twice = try await Self.send(
          home,
          flat.tenant,
          "POST",
          "\(path)/set_temperature",
          #"{"parameters": {"celsius": 20}, "celsius": 21}"#
        )
        #expect(twice.status == 400)
        let settings = try await Self.send(
          home,
          flat.tenant,
          "POST",
          "\(path)/change_settings",
          #"{"auto_lock_seconds": 30}"#
        )
        #expect(settings.status == 403)
      }
    }
  }
}
