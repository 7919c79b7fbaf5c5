import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension RandomEstate {
  mutating func addPortfolio() async throws {
    let free = people.filter { [suspended = naive.suspended] in !suspended.contains($0.id) }
    guard !isFull, let owner = pick(free), let admin = pick(people) else { return }
    let name = randomName()
    let portfolio = try await product.portfolios.create(
      .init(name: name, administratorUserIds: [admin.id]),
      options: try await product.call(owner)
    )
    put(portfolio.id, "portfolio", "sys_root", name: name)
    hold("owner", owner.id, portfolio.id)
    if admin != owner { hold("portfolio_admin", admin.id, portfolio.id) }
  }

  mutating func addProperty() async throws {
    guard !isFull, let parent = pick(ids("portfolio")), let manager = pick(people) else { return }
    let name = randomName()
    let property = try await product.properties.create(
      .init(portfolioId: parent, name: name, managerUserIds: [manager.id]),
      options: try await asAdministrator
    )
    put(property.id, "property", parent, name: name)
    hold("property_manager", manager.id, property.id)
  }

  mutating func addUnit() async throws {
    guard !isFull, let parent = pick(ids("property")), let tenant = pick(people) else { return }
    let name = randomName()
    let unit = try await product.units.create(
      .init(propertyId: parent, name: name, tenantUserIds: [tenant.id]),
      options: try await asAdministrator
    )
    put(unit.id, "unit", parent, name: name)
    hold("tenant", tenant.id, unit.id)
  }

  mutating func addDevice() async throws {
    guard !isFull, let property = pick(ids("property")) else { return }
    let units = ids("unit").filter { naive.entities[$0]?.parent == property }
    let unit = Int.random(in: 0..<3, using: &generator) > 0 ? pick(units) : nil
    let (settings, name) = (randomAttribute("remote_operation_enabled"), randomName())
    let kind = pick(["lock", "lock", "lock", "thermostat"]) ?? "lock"
    let device = try await product.devices.register(
      .init(
        propertyId: property,
        unitId: unit ?? "",
        name: name,
        type: kind,
        attributes: Self.wire(settings)
      ),
      options: try await asAdministrator
    )
    let reported = try await report(device.id)
    let attributes = settings.merging(reported) { $1 }
    let known = attributes.merging(["kind": kind as NSString]) { $1 }
    put(device.id, "device", unit ?? property, known, name: name)
  }

  private mutating func randomAttribute(_ name: String) -> [String: NSObject] {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: [name: false as NSNumber]
    case 1...3: [name: true as NSNumber]
    default: [:]
    }
  }

  /// What a device says of itself at random.
  private mutating func report(_ device: String) async throws -> [String: NSObject] {
    let reported = randomAttribute("online")
    guard !reported.isEmpty else { return [:] }
    _ = try await product.devices.reportState(
      .init(deviceId: device, attributes: Self.wire(reported)),
      options: product.options(of: "bridge", to: "tenancy")
    )
    return reported
  }

  static func wire(_ attributes: [String: NSObject]) -> Google_Protobuf.Struct {
    Google_Protobuf.Struct(
      fields: attributes.mapValues { value in
        var wire = Google_Protobuf.Value()
        wire.kind = .boolValue(value == true as NSNumber)
        return wire
      }
    )
  }

  mutating func changeDevice() async throws {
    guard let device = pick(ids("device")) else { return }
    let settings = randomAttribute("remote_operation_enabled")
    _ = try await product.devices.update(
      .init(deviceId: device, attributes: Self.wire(settings)),
      options: try await asAdministrator
    )
    naive.entities[device]?.attributes.merge(settings) { $1 }
    let reported = try await report(device)
    naive.entities[device]?.attributes.merge(reported) { $1 }
  }

  mutating func rename() async throws {
    guard let id = pick(entityIDs), let type = naive.entities[id]?.type else { return }
    let (name, options) = (randomName(), try await asAdministrator)
    switch type {
    case "portfolio":
      _ = try await product.portfolios.update(.init(portfolioId: id, name: name), options: options)
    case "property":
      _ = try await product.properties.update(.init(propertyId: id, name: name), options: options)
    case "unit": _ = try await product.units.update(.init(unitId: id, name: name), options: options)
    default: _ = try await product.devices.update(.init(deviceId: id, name: name), options: options)
    }
    naive.entities[id]?.name = name
  }

  mutating func moveDevice() async throws {
    guard let device = pick(ids("device")), let parent = naive.entities[device]?.parent,
      let above = naive.entities[parent]
    else { return }
    let options = try await asAdministrator
    if above.type == "unit", Bool.random(using: &generator), let property = above.parent {
      let request = Tenancy_V1.AssignDeviceRequest(unitId: parent, deviceId: device)
      _ = try await product.units.unassignDevice(request, options: options)
      return move(device, under: property)
    }
    let scope = property(of: device) ?? (above.type == "portfolio" ? parent : nil)
    guard let scope, let unit = pick(ids("unit").filter({ isWithin($0, scope) })) else { return }
    _ = try await product.units.assignDevice(
      .init(unitId: unit, deviceId: device, take: true),
      options: options
    )
    move(device, under: unit)
  }

  mutating func setCommonAreas() async throws {
    guard let unit = pick(ids("unit")), let property = naive.entities[unit]?.parent else { return }
    let near = ids("device").filter { naive.entities[$0]?.parent == property }
    let devices = Array(near.shuffled(using: &generator).prefix(3))
    _ = try await product.units.update(
      .init(unitId: unit, commonAreaDevices: .init(deviceIds: devices)),
      options: try await asAdministrator
    )
    naive.links.removeAll { $0.from == unit }
    for device in devices { naive.links.append(.init(name: "common_area", from: unit, to: device)) }
  }

  mutating func delete() async throws {
    let type: String
    switch Int.random(in: 0..<20, using: &generator) {
    case 0: type = "portfolio"
    case 1...3: type = "property"
    case 4...9: type = "unit"
    default: type = "device"
    }
    guard let id = pick(ids(type)) else { return }
    let deletesDevices = Bool.random(using: &generator)
    let homes = ids("property") + ids("unit")
    let mayMove = !deletesDevices && Bool.random(using: &generator)
    let home = mayMove ? pick(homes.filter { !isWithin($0, id) }) ?? "" : ""
    let options = try await asAdministrator
    // Of those only a unit has somebody who takes its devices without being asked.
    let heir = type == "unit" && !deletesDevices ? naive.entities[id]?.parent : nil
    switch type {
    case "portfolio":
      _ = try await product.portfolios.delete(
        .init(
          portfolioId: id,
          cascade: true,
          deleteDevices: deletesDevices,
          moveDevicesTo: home
        ),
        options: options
      )
    case "property":
      _ = try await product.properties.delete(
        .init(
          propertyId: id,
          cascade: true,
          deleteDevices: deletesDevices,
          moveDevicesTo: home
        ),
        options: options
      )
    case "unit":
      _ = try await product.units.delete(
        .init(unitId: id, cascade: true, deleteDevices: deletesDevices, moveDevicesTo: home),
        options: options
      )
    default: _ = try await product.devices.delete(.init(deviceId: id), options: options)
    }
    forget(id, devicesGoTo: home.isEmpty ? heir : home)
  }

  mutating func forget(_ id: String, devicesGoTo home: String?) {
    for inner in entityIDs.filter({ isWithin($0, id) }) {
      naive.associations.removeAll { $0.entity == inner }
      unlink(inner)
    }
    for inner in entityIDs.filter({ isWithin($0, id) }).reversed() {
      if let home, inner != id, naive.entities[inner]?.type == "device" {
        naive.entities[inner]?.parent = home
      } else {
        naive.entities[inner] = nil
        entityIDs.removeAll { $0 == inner }
      }
    }
  }
}
