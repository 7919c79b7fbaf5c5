internal import StrictJSON

/// One file while it is read: its names, and their places among the names of all files.
///
/// A file knows its own names and `system` only, so that it means the same whatever it is loaded with.
struct PolicyDocument {
  /// The name of the file in messages.
  let source: String
  var name = ""
  var version: Int64 = 0
  var accessLevels: [String] = []
  var types = [Policy.systemType: EntityTypeID.system]
  var roles: [String: RoleID] = [:]
  var links: [String: LinkID] = [:]
  var actions: Set<String> = []
  /// Features that its conditions name.
  var features: Set<String> = []
  /// Roles that grant every action of it.
  var grantingAll = RoleSet.none

  /// The members still to be read.
  var typeMembers: [PolicyMember] = []
  var roleMembers: [PolicyMember] = []
  var linkMembers: [PolicyMember] = []
  /// Conditions that several actions share, by the name of the set.
  var conditionSets: [String: [JSONField]] = [:]
  /// Those of them that actions name, by the type of the actions.
  var readConditionSets: [String: [EntityTypeID: [Policy.Condition]]] = [:]
  var selfService: JSONField?
  var modes: JSONField?
  var assertions: JSONField?

  /// Every type of it, and the system's.
  var allTypes: EntityTypeSet {
    types.values.reduce(into: EntityTypeSet()) { $0.insert($1) }
  }

  func type(_ field: JSONField) throws(JSONDecodingError) -> EntityTypeID {
    try place(of: field, in: types, "type")
  }

  func role(_ field: JSONField) throws(JSONDecodingError) -> RoleID {
    try place(of: field, in: roles, "role")
  }

  func accessLevel(_ field: JSONField) throws(JSONDecodingError) -> Int {
    let name = try field.string()
    guard let place = accessLevels.firstIndex(of: name) else {
      throw field.error("unknown access level \"\(name)\"")
    }
    return place
  }

  private func place<ID>(
    of field: JSONField,
    in places: [String: ID],
    _ what: String
  ) throws(JSONDecodingError) -> ID {
    let name = try field.string()
    guard let place = places[name] else {
      throw field.error("unknown \(what) \"\(name)\"")
    }
    return place
  }
}
