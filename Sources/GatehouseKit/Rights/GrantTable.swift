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
  }

  /// Names of sets for reads in the time of a look-up; made after decoding, and not kept on the device.
  struct Names: Equatable, Sendable {
    var actions: Swift.Set<String> = []
    var roles: Swift.Set<String> = []
    var fields: Swift.Set<String> = []

    init() {}

    init(_ set: Set) {
      actions = Swift.Set(set.actions).union(set.appActions ?? [])
      roles = Swift.Set(set.roles).union(set.appRoles ?? [])
      let attributes = set.visibleAttributes ?? []
      // Apps write `chipNumber` where policies write `chip_number`.
      fields = Swift.Set(attributes).union(attributes.map { Field(rawValue: $0).camelCase })
    }
  }

  private enum CodingKeys: String, CodingKey {
    case entities, sets, below, featuresEntityId, features, validUntil
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
  private var names: [Names] = []
  /// All names anywhere in the object, also on objects that are not there yet.
  private var anywhere = Names()

  mutating func add(_ page: Page) {
    // Pages repeat the sets that they use.
    let places = page.sets.map { set in
      if let place = sets.firstIndex(of: set) { return place }
      sets.append(set)
      return sets.count - 1
    }
    for entity in page.entities where places.indices.contains(entity.set) {
      let place = places[entity.set]
      entities[entity.entityId] = Entity(set: place, validUntil: entity.validUntil)
      validUntil = [validUntil, entity.validUntil].compactMap(\.self).min()
    }
    below += page.below
    featuresEntityId = featuresEntityId ?? page.featuresEntityId
    if features.isEmpty { features = page.features }
    validUntil = [validUntil, page.validUntil].compactMap(\.self).min()
  }

  /// Makes the names for reads, after the last page or after decoding.
  mutating func makeNames() {
    names = sets.map(Names.init)
    anywhere = Names()
    for name in names {
      anywhere.actions.formUnion(name.actions)
      anywhere.roles.formUnion(name.roles)
    }
    for set in below { anywhere.actions.formUnion(Names(set).actions) }
  }

  /// The names of an object; absent if the person has no role on it, or it came later.
  private func names(of entity: String) -> Names? {
    guard let place = entities[entity]?.set, names.indices.contains(place) else { return nil }
    return names[place]
  }

  /// Without an object: an action counts if the person has it anywhere in the object that it works in, also on objects
  /// that are not there yet.
  func allows(_ action: Action, on entity: String?) -> Bool {
    guard let entity else { return anywhere.actions.contains(action.rawValue) }
    return names(of: entity)?.actions.contains(action.rawValue) == true
  }

  func has(_ role: Role, on entity: String?) -> Bool {
    guard let entity else { return anywhere.roles.contains(role.rawValue) }
    return names(of: entity)?.roles.contains(role.rawValue) == true
  }

  func shows(_ field: Field, of entity: String) -> Bool {
    guard let names = names(of: entity) else { return false }
    if names.fields.contains(field.rawValue) { return true }
    let name = field.snakeCase
    return name == "id" || name == "name" || names.fields.contains(name)
  }
}
