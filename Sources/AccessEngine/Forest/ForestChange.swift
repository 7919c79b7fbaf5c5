/// One step by which the forest follows the store.
public enum ForestChange: Hashable, Sendable {
  /// An entity is there, as given: new, renamed, moved or with other attributes.
  case putEntity(EntityRow)
  /// An entity is about to be put below another one, with all that is below it.
  case leaving(String)
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
  /// A tenant has a role of its own, as given.
  case putVariant(VariantRow)
  /// A tenant's own role is gone; no association is of it.
  case removeVariant(String)
  /// A subject may do nothing, or may again.
  case setSuspended(String, Bool)
}

/// An entity as the engine needs it.
public struct EntityRow: Hashable, Sendable {
  package var id: String
  package var type: EntityTypeID
  /// The entity above; the system's for a root.
  package var parent: String
  package var name: String
  /// Coded attributes by slot; see `Attribute.code`.
  package var codes: [UInt8]
  /// Whether it was just made, so that nothing else is below it.
  package var isNew = false

  /// An entity; `parent` is `Forest.systemIdentifier` for a root, `codes` are attributes by slot.
  public init(id: String, type: EntityTypeID, parent: String, name: String, codes: [UInt8]) {
    self.id = id
    self.type = type
    self.parent = parent
    self.name = name
    self.codes = codes
  }
}

/// An association as the engine needs it.
public struct AssociationRow: Hashable, Sendable {
  package var id: String
  package var subject: String
  package var role: RoleID
  package var entity: String
  /// Milliseconds since 1970; the smallest number is "always was".
  package var validFrom: Int64
  /// Milliseconds since 1970, exclusive; the largest number is "for good".
  package var validUntil: Int64
  /// When it counts inside of that; nil is always.
  package var recurring: RecurringWindow?
  /// The identifier of the tenant-defined role that it is of; empty is the policy's role.
  package var variant: String

  /// An association; times are in milliseconds since 1970, and valid until just before the last.
  public init(
    id: String,
    subject: String,
    role: RoleID,
    entity: String,
    validFrom: Int64 = .min,
    validUntil: Int64 = .max,
    recurring: RecurringWindow? = nil,
    variant: String = ""
  ) {
    self.id = id
    self.subject = subject
    self.role = role
    self.entity = entity
    self.validFrom = validFrom
    self.validUntil = validUntil
    self.recurring = recurring
    self.variant = variant
  }
}

/// A tenant-defined role as the engine needs it: a variant of a role of the policy.
public struct VariantRow: Hashable, Sendable {
  package var id: String
  /// The tenant: the root of a tree.
  package var root: String
  /// That of its base role if it stands for that inside the tenant.
  package var name: String
  package var base: RoleID
  package var actions: [ActionID]

  package init(id: String, root: String, name: String, base: RoleID, actions: [ActionID]) {
    self.id = id
    self.root = root
    self.name = name
    self.base = base
    self.actions = actions
  }
}

/// A link as the engine needs it.
public struct LinkRow: Hashable, Sendable {
  package var link: LinkID
  package var from: String
  package var to: String

  package init(link: LinkID, from: String, to: String) {
    self.link = link
    self.from = from
    self.to = to
  }
}
