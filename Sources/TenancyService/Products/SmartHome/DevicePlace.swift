internal import ServiceKit

/// The unit and the property that a device is in, as its message names them; empty where it is in none.
struct DevicePlace: Sendable {
  var propertyID = ""
  var propertyName = ""
  var unitID = ""
  var unitName = ""
}

extension StoreTransaction where Self: ~Copyable {
  /// Reads no whole entities: lists ask for each of their devices.
  func place(ofDevice device: EntityRecord) throws -> DevicePlace {
    let found = try first(
      """
      SELECT near.id, near.name, near.type, COALESCE(far.id, ''), COALESCE(far.name, '')
      FROM entity near LEFT JOIN entity far ON far.id = near.parent_id
      WHERE near.id = ?
      """,
      .text(device.parentID)
    ) { row in
      let near = (id: row.text(0), name: row.text(1), type: row.text(2))
      return switch near.type {
      case SmartHome.unit:
        DevicePlace(
          propertyID: row.text(3),
          propertyName: row.text(4),
          unitID: near.id,
          unitName: near.name
        )
      case SmartHome.property: DevicePlace(propertyID: near.id, propertyName: near.name)
      default: DevicePlace()
      }
    }
    return found ?? DevicePlace()
  }
}
