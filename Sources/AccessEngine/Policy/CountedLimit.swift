/// A limit on how many entities of some types there may be below each entity of another type.
public struct CountedLimit: Hashable, Sendable {
  /// The name of the limit in a catalogue of EntitlementService.
  public let name: String
  /// The type of entities that have the limit.
  public let holderType: String
  /// As what EntitlementService knows these.
  public let holderKind: FeatureHolder.Kind
  /// The types of entities that count, in the order of the policy.
  public internal(set) var types: [String]
}

extension Policy {
  /// The limit that entities of a type count against.
  struct Count: Hashable, Sendable {
    /// The name of the limit.
    let limit: String
    /// The type of those that have it.
    let holder: EntityTypeID
  }

  /// The limit that entities of a type count against; nil for none.
  public func limit(counting type: String) -> CountedLimit? {
    limits.first { $0.types.contains(type) }
  }

  /// The limit of members of entities of a type; nil for none.
  public func limit(ofMembersOf type: String) -> CountedLimit? {
    guard let found = types.first(where: { $0.name == type }), let limit = found.membersLimit,
      let kind = found.featureHolder
    else { return nil }
    return CountedLimit(name: limit, holderType: type, holderKind: kind, types: [])
  }

  /// The limits of some types, in their order: types with the same limit of the same holder share it.
  static func limits(of types: [EntityType]) -> [CountedLimit] {
    var limits: [CountedLimit] = []
    for type in types {
      guard let count = type.count else { continue }
      let holder = types[Int(count.holder.index)]
      guard let kind = holder.featureHolder else { continue }
      let place = limits.firstIndex { $0.name == count.limit && $0.holderType == holder.name }
      if let place {
        limits[place].types.append(type.name)
      } else {
        limits.append(
          CountedLimit(
            name: count.limit,
            holderType: holder.name,
            holderKind: kind,
            types: [type.name]
          )
        )
      }
    }
    return limits
  }
}
