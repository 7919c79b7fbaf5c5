import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Objects that are put back by REST as they were read")
  struct PutBackTests {
    private static func send(
      _ home: Installation,
      _ person: Person,
      _ method: String,
      _ path: String,
      _ body: JSONObject? = nil
    ) async throws -> (status: Int, body: JSONObject) {
      let fields = [
        (name: "authorization", value: "Bearer \(person.tokens.accessToken)"),
        (name: "content-type", value: "application/json"),
      ]
      let answer = try await home.tenancy.http.send(
        method,
        "/api/v1/\(path)",
        body == nil ? [fields[0]] : fields,
        body.map { JSONValue.object($0).bytes }
      )
      let json = try JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 20))
      return (answer.status, try #require(json.object))
    }

    /// A value that is another one than this.
    private static func other(_ value: JSONValue) -> JSONValue {
      switch value {
      case .string(let text) where text.hasSuffix("Z"): "2026-01-01T00:00:00Z"
      case .string: "other"
      case .number: 77
      case .boolean: true
      case .array: ["other"]
      case .object(var object):
        {
          object["city"] = "Other"
          return .object(object)
        }()
      case .null: .null
      }
    }

    /// Members that are people with their names.
    private static let people: Set<String> = ["administrators", "managers", "tenants"]

    @Test(
      "Each object of a home is put back by PUT and PATCH, and a field that is not its own is named"
    )
    func objects_putBack_areKept() async throws {
      try await Installation.run { home in
        let flat = try await Flat(in: home)
        let unit = try await home.units.get(.init(unitId: flat.unit), options: flat.owner.call)
        let property = try await home.properties.update(
          .init(
            propertyId: unit.propertyId,
            address: .init(street: "4 Pier", city: "Harbor"),
            defaultTimeZone: "Europe/Berlin",
            managerUserIds: [flat.stranger.id]
          ),
          options: flat.owner.call
        )
        let devices = try await ["Door", "Gate"].asyncMap { name in
          try await home.devices.register(
            .init(
              propertyId: property.id,
              unitId: name == "Door" ? flat.unit : "",
              name: name,
              type: "lock"
            ),
            options: flat.owner.call
          ).id
        }
        _ = try await home.units.update(
          .init(unitId: flat.unit, commonAreaDeviceIds: [devices[1]]),
          options: flat.owner.call
        )
        // Members that an update sets; all others of an answer are compared.
        let objects: [(path: String, writable: Set<String>)] = [
          ("portfolios/\(property.portfolioId)", ["name", "administratorUserIds"]),
          ("properties/\(property.id)", ["name", "address", "defaultTimeZone", "managerUserIds"]),
          (
            "units/\(flat.unit)", ["name", "tenantUserIds", "deviceIds", "commonAreaAccessIds"]
          ),
          ("devices/\(devices[0])", ["name", "attributes"]),
          ("entities/\(flat.unit)", ["name", "attributes"]),
          ("entities/\(devices[0])", ["name", "attributes"]),
        ]
        for (path, writable) in objects {
          let read = try await Self.send(home, flat.owner, "GET", path)
          let object = try #require(read.body["data"]?.object, "\(path)")
          #expect(writable.isSubset(of: Set(object.members.map(\.name))), "\(path)")
          for method in ["PUT", "PATCH"] {
            let kept = try await Self.send(home, flat.owner, method, path, object)
            #expect(kept.status == 200, "\(method) \(path) \(kept.body)")
            #expect(kept.body["data"]?.object == object, "\(method) \(path)")
          }
          for member in object.members where !writable.contains(member.name) {
            // An empty one is as good as absent.
            guard member.name != "revision" else { continue }
            var changed = object
            changed["name"] = "Other"
            changed[member.name] =
              Self.people.contains(member.name) ? [["id": "usr_other"]] : Self.other(member.value)
            let refused = try await Self.send(home, flat.owner, "PUT", path, changed)
            let details = refused.body["details"]?.object
            #expect(refused.status == 400, "\(path) \(member.name)")
            #expect(
              details?["fieldViolations"]?.array?.first?.object?["field"]?.string == member.name,
              "\(path) \(refused.body)"
            )
            let reason = details?["reason"]?.string
            #expect(reason == "FIELD_READ_ONLY", "\(path) \(refused.body)")
            #expect(refused.body["message"]?.string?.hasPrefix("\(member.name): ") == true)
          }
          // What was put back with a change is another revision, and the copy of before is refused.
          var renamed = object
          renamed["name"] = .string("Renamed \(path)")
          let first = try await Self.send(home, flat.owner, "PUT", path, renamed)
          #expect(first.status == 200, "\(path) \(first.body)")
          let second = try await Self.send(home, flat.owner, "PUT", path, object)
          #expect(second.status == 409, "\(path) \(second.body)")
          #expect(second.body["details"]?.object?["reason"]?.string == "REVISION_MISMATCH")
          let now = try await Self.send(home, flat.owner, "GET", path)
          #expect(now.body["data"]?.object == first.body["data"]?.object, "\(path)")
        }
      }
    }

    @Test("A list that is cut is absent, beside its count, and its unit can still be put back")
    func list_cut_isAbsent() async throws {
      try await Installation.run { home in
        let flat = try await Flat(in: home)
        let entities = Tenancy_V1.EntitiesClient(home.tenancy.channel)
        for _ in 0..<3 {
          _ = try await entities.batchCreate(
            .init(
              entities: (0..<400).map { .init(type: "device", parentId: flat.unit, name: "D\($0)") }
            ),
            options: flat.owner.call
          )
        }
        let path = "units/\(flat.unit)"
        let read = try await Self.send(home, flat.owner, "GET", path)
        var object = try #require(read.body["data"]?.object)
        #expect(object["deviceIds"] == nil)
        #expect(object["deviceCount"] == 1200)
        #expect(object["deviceIdsCut"] == true)
        let kept = try await Self.send(home, flat.owner, "PUT", path, object)
        #expect(kept.status == 200 && kept.body["data"]?.object == object, "\(kept.body)")
        object["deviceIds"] = []
        let refused = try await Self.send(home, flat.owner, "PUT", path, object)
        #expect(refused.status == 400)
        #expect(refused.body["details"]?.object?["reason"]?.string == "LIST_CUT")
      }
    }
  }
}

extension Array {
  /// Its elements, one after another as something else.
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
    var result: [T] = []
    for element in self { result.append(try await transform(element)) }
    return result
  }
}
