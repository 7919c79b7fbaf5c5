internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// A check: may this subject do this to that.
struct PermissionCheck: Sendable {
  let subject: String
  let action: String
  let entity: String
  /// Whether what lies above the entity is to be reported as well.
  let wantsAncestors: Bool
}

extension PartQuestion {
  /// The question of some checks.
  init(_ checks: [PermissionCheck]) {
    self.init(subjects: Set(checks.map(\.subject)), entities: Set(checks.map(\.entity)))
  }
}

/// The outcome of a check.
enum CheckOutcome: Sendable {
  /// It is decided at this revision, whose token is not in the message yet: making one takes a lock.
  case decided(revision: Int64)
  /// It takes features that have to be asked for first.
  case missing(FeatureHolder)
  /// There is no such action.
  case actionUnknown
}

/// The caller of checks.
struct CheckContext: Sendable {
  /// A user asks about itself and learns nothing of what it may not know of.
  let isUser: Bool
  /// How it has proved itself.
  let assurance: Assurance?
  let features: any FeatureSource

  init(isUser: Bool, assurance: Assurance?, features: any FeatureSource) {
    self.isUser = isUser
    self.assurance = assurance
    self.features = features
  }

  init(_ caller: Caller, _ core: TenancyCore) {
    self.init(
      isUser: caller.user != nil,
      assurance: caller.user?.assurance(at: core.clock.now),
      features: core.features
    )
  }
}

extension Caller {
  /// The subject of a check: the calling user, or for a service the user that it names.
  ///
  /// PERMISSION_DENIED for users who ask about others.
  func subject(_ requested: String) throws(RPCError) -> String {
    switch self {
    case .user(let user):
      guard requested.isEmpty || requested == user.userID else { throw TenancyError.notSelf }
      return user.userID
    case .service:
      guard !requested.isEmpty else {
        throw ErrorCatalog.tenancy.invalid(
          "subject",
          "REQUIRED",
          "must be set, because the caller is a service"
        )
      }
      return requested
    case .anonymous: throw IdentityError.unauthenticated
    }
  }
}
