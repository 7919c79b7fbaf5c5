import Foundation

/// All that the person may do at and below an object, from `GET /permissions`.
struct GrantTable: Codable, Equatable, Sendable {
  struct Set: Codable, Equatable, Sendable {
    var roles: [String] = []
    var actions: [String] = []
    var accessLevel: String?
    var visibleAttributes: [String]?
    var appActions: [String]?
    var appRoles: [String]?

    func has(_ action: Action) -> Bool {
      actions.contains(action.rawValue) || appActions?.contains(action.rawValue) == true
    }

    func has(_ role: Role) -> Bool {
      roles.contains(role.rawValue) || appRoles?.contains(role.rawValue) == true
    }
  }

  struct Entity: Codable, Equatable, Sendable {
    var set: Int
    var validUntil: Date?
  }

  struct Page: Decodable, Sendable {
    struct Entity: Decodable, Sendable {
      var entityId: String
      var set: Int
      var validUntil: Date?
    }

    var entities: [Entity]
    var sets: [Set]
    var featuresEntityId: String?
    var features: [String]
    var validUntil: Date?
    var nextPageToken: String?
    var below: [Set]
  }

  var entities: [String: Entity] = [:]
  var sets: [Set] = []
  var below: [Set] = []
  var featuresEntityId: String?
  var features: [String] = []
  var validUntil: Date?

  mutating func add(_ page: Page) {
    let first = sets.count
    sets += page.sets
    for entity in page.entities {
      entities[entity.entityId] = Entity(set: first + entity.set, validUntil: entity.validUntil)
      validUntil = [validUntil, entity.validUntil].compactMap(\.self).min()
    }
    below += page.below
    featuresEntityId = featuresEntityId ?? page.featuresEntityId
    if features.isEmpty { features = page.features }
    validUntil = [validUntil, page.validUntil].compactMap(\.self).min()
  }

  /// The set of an object; absent if the person has no role on it, or it came later.
  func set(of entity: String) -> Set? {
    guard let place = entities[entity]?.set, sets.indices.contains(place) else { return nil }
    return sets[place]
  }

  /// Without an object: an action counts if the person has it anywhere in the object that it works in, also on objects
  /// that are not there yet.
  func allows(_ action: Action, on entity: String?) -> Bool {
    if let entity { return set(of: entity)?.has(action) == true }
    return (sets + below).contains { $0.has(action) }
  }

  func has(_ role: Role, on entity: String?) -> Bool {
    if let entity { return set(of: entity)?.has(role) == true }
    return sets.contains { $0.has(role) }
  }

  func shows(_ field: Field, of entity: String) -> Bool {
    guard let set = set(of: entity) else { return false }
    let name = field.snakeCase
    return name == "id" || name == "name"
      || set.visibleAttributes?.contains { $0 == name || $0 == field.rawValue } == true
  }
}
