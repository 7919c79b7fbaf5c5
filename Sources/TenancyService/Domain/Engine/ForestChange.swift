/// One step by which the forest follows the store.
enum ForestChange: Hashable, Sendable {
  /// An entity is there, as given: new, renamed, moved or with other attributes.
  case putEntity(EntityRow)
  /// An entity is gone, and with it its associations and links. Its children went before.
  case removeEntity(String)
  /// An association is there, as given.
  case putAssociation(AssociationRow)
  /// An association is gone.
  case removeAssociation(String)
  /// A link is there.
  case putLink(LinkRow)
  /// A link is gone.
  case removeLink(LinkRow)
  /// A subject may do nothing, or may again.
  case setSuspended(String, Bool)
}

/// An entity as the engine needs it.
struct EntityRow: Hashable, Sendable {
  var id: String
  var type: EntityTypeID
  /// The entity above; the system's for a root.
  var parent: String
  var name: String
  /// Coded attributes by slot; see `Attribute.code`.
  var codes: [UInt8]
}

/// An association as the engine needs it.
struct AssociationRow: Hashable, Sendable {
  var id: String
  var subject: String
  var role: RoleID
  var entity: String
  /// Milliseconds since 1970; the smallest number is "always was".
  var validFrom: Int64 = .min
  /// Milliseconds since 1970, exclusive; the largest number is "for good".
  var validUntil: Int64 = .max
}

/// A link as the engine needs it.
struct LinkRow: Hashable, Sendable {
  var link: LinkID
  var from: String
  var to: String
}
