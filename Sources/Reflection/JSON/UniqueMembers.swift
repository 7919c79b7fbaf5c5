internal import StrictJSON

/// Collects members of which the last of each name counts, in time that grows with their number
/// only: a map comes from the other side and can be long.
struct UniqueMembers {
  private var members: [(name: String, value: JSONValue)] = []
  private var places: [String: Int] = [:]

  mutating func set(_ name: String, _ value: JSONValue) {
    if let place = places[name] {
      members[place].value = value
    } else {
      places[name] = members.count
      members.append((name, value))
    }
  }

  var object: JSONObject {
    var object = JSONObject()
    for member in members { object.append(name: member.name, value: member.value) }
    return object
  }
}
