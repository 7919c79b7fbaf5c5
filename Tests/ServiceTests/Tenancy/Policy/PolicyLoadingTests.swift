import Foundation
import Testing

@testable import AccessEngine
@testable import TenancyService

@Suite("Loading a policy")
struct PolicyLoadingTests {
  @Test("The smart-home policy loads, its assertions hold")
  func load_smartHome_loads() throws {
    let policy = try PolicyFile.smartHome()
    #expect(policy.name == "smart-home")
    #expect(policy.roles.map(\.name).contains("tenant"))
  }

  @Test(
    "A mistake is refused with the place of it",
    arguments: [
      (
        #""inherits_to": ["device"], "access_level": "use""#, #""inherits_to": ["devcie"]"#,
        "roles.tenant.inherits_to[0]"
      ),
      (
        #""roles": ["owner"] }"#, #""roles": ["ower"] }"#,
        "types.portfolio.actions.portfolio.delete.roles[0]"
      ),
      (
        #""otherwise": "DEVICE_OFFLINE""#, #""otherwise": "DEVICE_AWAY""#,
        "types.device.actions.device.lock.conditions[0].otherwise"
      ),
      (
        #""attribute": "online""#, #""attribute": "battery""#,
        "types.device.actions.device.lock.conditions[0].attribute"
      ),
      (
        #""desired_state": "locked", "kinds": ["lock"]"#,
        #""desired_state": "locked", "kinds": ["lock", "door"]"#,
        "types.device.actions.device.lock.operation.kinds[1]"
      ),
      (
        #""unit.delete": { "roles""#, #""unit.delete": { "operation": { "kinds": [] }, "roles""#,
        "types.unit.actions.unit.delete.operation.kinds"
      ),
      (#""version": 2"#, #""version": 2, "verison": 2"#, "verison"),
      (#""expect": "allow" }"#, #""expect": "deny" }"#, "assertions.expect[0]"),
      (#""window": "required""#, #""window": "always""#, "roles.guest.window"),
      (
        #""view": "unit.view""#, #""view": "unit.veiw""#, "types.unit.lifecycle.view"
      ),
      (
        // An action of units, where one of properties has to be.
        #""create": "property.create_unit""#, #""create": "unit.view""#,
        "types.unit.lifecycle.create"
      ),
      (
        #""unit": "unit.assign_device""#, #""guest": "unit.assign_device""#,
        "types.device.lifecycle.create.guest"
      ),
      (
        #""granted_by": "unit.manage_tenants""#, #""granted_by": "unit.manage""#,
        "roles.tenant.granted_by"
      ),
      (#""prefix": "unt""#, #""prefix": "unt_""#, "types.unit.prefix"),
    ]
  )
  func load_mistake_isNamed(right: String, wrong: String, path: String) throws {
    let text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    let place = try #require(text.range(of: right))
    let broken = text.replacingCharacters(in: place, with: wrong)
    let error = #expect(throws: PolicyError.self) { try Policy.load([UInt8](broken.utf8)) }
    #expect(error?.problems.map(\.path) == [path])
  }
}
