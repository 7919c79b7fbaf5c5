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
      _ body: String? = nil
    ) async throws -> (status: Int, body: JSONObject) {
      let fields = [
        (name: "authorization", value: "Bearer \(person.tokens.accessToken)"),
        (name: "content-type", value: "application/json"),
      ]
      let answer = try await home.tenancy.http.send(
        method,
        "/api/v1/\(path)",
        body == nil ? [fields[0]] : fields,
        body.map { Array($0.utf8) }
      )
      let json = try JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 20))
      return (answer.status, try #require(json.object))
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
  }
}
