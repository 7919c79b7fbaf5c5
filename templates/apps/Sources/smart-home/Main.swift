import GatehouseKit
import SampleSupport

@main
enum SmartHome {
  struct Named: Encodable { var name: String }

  struct Address: Encodable {
    var street: String
    var city: String
  }

  struct Property: Encodable {
    var name: String
    var address: Address
  }

  struct NewDevice: Encodable {
    var propertyId: String
    var unitId: String
    var name: String
    var type: String
  }

  static func main() async {
    await Sample.run {
      let gatehouse = Sample.gatehouse("smart-home")
      try await Sample.enter(gatehouse, email: "home@example.com", name: "Eva")
      let running = Task { await gatehouse.run() }
      var connections = gatehouse.live.connections.makeAsyncIterator()
      while let connection = await connections.next(), connection != .live {}
      var events = gatehouse.live.events.makeAsyncIterator()
      let (unit, lock) = try await furnish(gatehouse)
      while let event = await events.next(isolation: nil) {
        guard event.kind == "device", event.objectId == lock else { continue }
        print("the stream brought the new device")
        break
      }
      for device in try await gatehouse.devices.list(unit: unit) {
        print("\(device.name) (\(device.type)) in \(device.unitName ?? "")")
      }
      await unlock(gatehouse, lock)
      running.cancel()
      await running.value
      try await gatehouse.account.signOut()
    }
  }

  /// A portfolio with a property, a unit and a lock; the person then works in the unit.
  static func furnish(_ gatehouse: Gatehouse) async throws -> (unit: String, lock: String) {
    let portfolio = try await make(gatehouse, "portfolios", Named(name: "Harbour Homes"))
    let property = try await make(
      gatehouse,
      "portfolios/\(portfolio)/properties",
      Property(name: "Pier 4", address: Address(street: "Pier 4", city: "Oslo"))
    )
    let unit = try await make(gatehouse, "properties/\(property)/units", Named(name: "Flat 2"))
    try await gatehouse.account.select(unit)
    let device = NewDevice(propertyId: property, unitId: unit, name: "Front door", type: "lock")
    return (unit, try await make(gatehouse, "devices", device))
  }

  static func make(
    _ gatehouse: Gatehouse,
    _ path: String,
    _ body: some Encodable
  ) async throws -> String {
    try await gatehouse.call(Call(.post, path, body: body).once(), as: Made.self).id
  }

  /// A refusal is a sentence for the person.
  static func unlock(_ gatehouse: Gatehouse, _ lock: String) async {
    do {
      let answer = try await gatehouse.devices.operate(lock, "unlock")
      print("unlocking \(answer.device.name)")
    } catch let error as KitError {
      print("not unlocked:", error.sentence(), error.reason)
    } catch {
      print("\(error)")
    }
  }
}
