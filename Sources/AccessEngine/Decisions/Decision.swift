/// The answer to "may this subject do this to that".
///
/// Small numbers only, valid with the forest that gave them; see `Explanation` for names.
public struct Decision: Hashable, Sendable {
  /// Why.
  public let reason: ReasonCode
  /// The row of the association that grants it.
  package let association: UInt32?
  /// The role that grants it.
  public let role: RoleID?
  /// The entity on which that role is held.
  package let via: UInt32?
  /// Roles that grant it; what would suffice when it is not granted.
  public let sufficientRoles: RoleSet
  /// Whether the subject may know that there is such an entity: whether any association reaches it.
  public let isKnown: Bool
  /// Roles that the subject has on the entity now, whether they grant the action or not.
  public let heldRoles: RoleSet
  /// Until when the answer may be kept, in milliseconds since 1970.
  ///
  /// Never beyond five minutes, nor the next edge of a time window that was looked at, matched or
  /// not: the beginning of one turns a denial around.
  public internal(set) var validUntil: Int64
  /// The revision at which this was so.
  public let revision: Int64
  /// Whether it depends on features that have to be asked for first; until then it is only a guess.
  package internal(set) var lacksFeatures = false

  /// Whether the subject may.
  public var isAllowed: Bool { reason == .allowed }

  /// Whether the subject may know of the entity, or that it may do nothing at all.
  package var isShown: Bool { isKnown || reason == .subjectSuspended }

  /// The decision about an entity that is not there.
  var hidden: Decision {
    Decision(
      reason: .entityUnknown,
      association: nil,
      role: nil,
      via: nil,
      sufficientRoles: .none,
      isKnown: false,
      heldRoles: .none,
      validUntil: validUntil,
      revision: revision
    )
  }

  /// How long an answer may be kept at most, in milliseconds.
  public static let lifetimeMax: Int64 = 300_000
}
