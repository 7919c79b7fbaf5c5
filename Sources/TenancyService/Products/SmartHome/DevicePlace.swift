internal import ServiceKit

/// The unit and the property that a device is in, as its message names them; empty where it is in none.
///
/// Also whether something it is asked for may have to be taken back: read with it, that takes no query of its own.
struct DevicePlace: Sendable {
  var propertyID = ""
  var propertyName = ""
  var unitID = ""
  var unitName = ""
  /// Whether a command of the device has expired and is not ended yet.
  var hasExpiredCommand = false
  /// The display name of the user who was asked for with it; empty for none and until it is known.
  var actorName = ""
}

extension DevicePlace {
  /// The place of a device, and with `actor` also the name of that user, in the same statement.
  ///
  /// Reads no whole entities: lists ask for each of their devices.
  static func find(
    of device: EntityRecord,
    now: Int64,
    actor: String? = nil,
    in tx: borrowing some Queryable
  ) throws -> DevicePlace {
    let name =
      actor == nil ? "''" : "COALESCE((SELECT name FROM person WHERE user_id = ?), '')"
    // The outcome is a literal, as the partial index has it.
    let found = try tx.query(
      """
      SELECT near.id, near.name, near.type, COALESCE(far.id, ''), COALESCE(far.name, ''),
        EXISTS (
          SELECT 1 FROM device_command c
          WHERE c.device_id = ? AND c.outcome = '' AND c.expires_at <= ?),
        \(name)
      FROM entity near LEFT JOIN entity far ON far.id = near.parent_id
      WHERE near.id = ?
      """,
      values: [.text(device.id), .integer(now)] + (actor.map { [.text($0)] } ?? [])
        + [.text(device.parentID)]
    ) { row in
      let near = (id: row.text(0), name: row.text(1), type: row.text(2))
      var place =
        switch near.type {
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
      place.hasExpiredCommand = row.boolean(5)
      place.actorName = row.text(6)
      return place
    }
    return found.first ?? DevicePlace()
  }
}
