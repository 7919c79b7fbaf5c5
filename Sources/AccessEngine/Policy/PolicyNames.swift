/// A type of entity, as its place among the types of the policy.
public struct EntityTypeID: Hashable, Sendable, BitwiseCopyable {
  package let index: UInt8

  /// The type of the one entity above all roots.
  public static let system = EntityTypeID(index: 0)
}

/// A role, as its place among the roles of the policy.
public struct RoleID: Hashable, Sendable, BitwiseCopyable {
  package let index: UInt8
}

/// An action, as its place among the actions of the policy.
public struct ActionID: Hashable, Sendable, BitwiseCopyable {
  package let index: UInt16

  /// Some action, for decisions about entities that are not there: those are the same for each.
  package static let any = ActionID(index: 0)
}

/// A kind of link between two entities, as its place among the links of the policy.
public struct LinkID: Hashable, Sendable, BitwiseCopyable {
  package let index: UInt8
}

/// A set of roles, as bits.
public struct RoleSet: Hashable, Sendable {
  package var bits: UInt64

  /// The set without roles.
  package static let none = RoleSet(bits: 0)
  /// Roles of one policy, at most.
  static let countMax = 64

  package init(bits: UInt64) { self.bits = bits }

  package init(_ role: RoleID) { bits = 1 << UInt64(role.index) }

  /// Whether no role is in it.
  public var isEmpty: Bool { bits == 0 }

  /// All roles, in the order of the policy.
  public var roles: [RoleID] {
    var roles: [RoleID] = []
    roles.reserveCapacity(bits.nonzeroBitCount)
    var rest = bits
    while rest != 0 {
      roles.append(RoleID(index: UInt8(rest.trailingZeroBitCount)))
      rest &= rest - 1
    }
    return roles
  }

  /// Whether a role is in it.
  public func contains(_ role: RoleID) -> Bool { bits >> UInt64(role.index) & 1 == 1 }

  mutating func formUnion(_ other: RoleSet) { bits |= other.bits }

  mutating func insert(_ role: RoleID) { bits |= 1 << UInt64(role.index) }

  package func intersection(_ other: RoleSet) -> RoleSet { RoleSet(bits: bits & other.bits) }
}

/// A set of types, as bits.
package struct EntityTypeSet: Hashable, Sendable {
  package var bits: UInt64 = 0

  init() {}

  /// One type alone.
  init(_ type: EntityTypeID) { insert(type) }

  /// The first types, the system's among them.
  init(count: Int) { for index in 0..<count { insert(EntityTypeID(index: UInt8(index))) } }

  mutating func formUnion(_ other: EntityTypeSet) { bits |= other.bits }

  package func contains(_ type: EntityTypeID) -> Bool { bits >> UInt64(type.index) & 1 == 1 }

  mutating func subtract(_ other: EntityTypeSet) { bits &= ~other.bits }

  mutating func insert(_ type: EntityTypeID) { bits |= 1 << UInt64(type.index) }
}
