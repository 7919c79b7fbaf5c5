/// A default of a user, for one type of entity.
public enum DefaultChoice: Hashable, Sendable {
  /// The user has had no role on such an entity yet; the first one will be chosen. Next: `chosen`.
  case none
  /// This one. Next: `cleared` when the role goes, `none` when the user's last such role goes.
  case chosen(String)
  /// The user has roles and wants no default, or lost the one it had. Next: `none` when the last role
  /// goes; `chosen` only by the user.
  case cleared

  /// As it is stored: nothing, an identifier, an empty text.
  public var stored: String? {
    switch self {
    case .none: nil
    case .chosen(let id): id
    case .cleared: ""
    }
  }

  /// Reads what was stored.
  public init(stored: String?) {
    self =
      switch stored {
      case nil: .none
      case "": .cleared
      case let id?: .chosen(id)
      }
  }

  /// The entity, or an empty text.
  public var id: String {
    if case .chosen(let id) = self { id } else { "" }
  }

  /// The choice after a change, given the entities of the type that the user has roles on, oldest
  /// role first, and whether what is chosen is reached through a role on what it is in.
  public func following(_ entities: [String], reaches: (String) -> Bool) -> DefaultChoice {
    switch self {
    case .none: entities.first.map { .chosen($0) } ?? .none
    case .chosen(let id):
      if entities.contains(id) || reaches(id) { self } else { entities.isEmpty ? .none : .cleared }
    case .cleared: entities.isEmpty ? .none : .cleared
    }
  }
}
