internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The shared part of the handlers: the store, and who may see and change what.
final class EntitlementCore: Sendable {
  let store: ServiceStore
  let clock: any WallClock
  /// Seals page tokens.
  let tokens: TokenSealer
  let identifiers: IdentifierFactory
  /// Changes of points, for those who watch.
  let pointsNews: PointsNews
  /// The names of people whom answers show.
  let names: NameDirectory
  let authorizer: SubjectAuthorizer
  /// The budget of operators for reads about others.
  private let auditBudget: AuditBudget
  /// The subscribers that operators have looked at.
  let looks = RecentLooks()
  private let follower: any SubjectFollower

  init(
    store: ServiceStore,
    clock: any WallClock,
    tokens: TokenSealer,
    identifiers: IdentifierFactory,
    pointsNews: PointsNews,
    names: NameDirectory,
    authorizer: SubjectAuthorizer,
    auditBudget: AuditBudget,
    follower: any SubjectFollower
  ) {
    self.store = store
    self.clock = clock
    self.tokens = tokens
    self.identifiers = identifiers
    (self.pointsNews, self.names) = (pointsNews, names)
    self.authorizer = authorizer
    self.auditBudget = auditBudget
    self.follower = follower
  }

  /// The store itself, for what is not reading or writing.
  var database: Database { store.database }

  // MARK: - Who and what

  /// The calling user; throws UNAUTHENTICATED without one.
  func userID(_ call: CallContext) throws(RPCError) -> String {
    guard let user = call.caller.user else { throw EntitlementError.userRequired }
    return user.userID
  }

  /// The subject of a request: the one named, or else the calling user.
  func plainSubject(
    _ wire: Entitlement_V1.Subject?,
    _ call: CallContext
  ) throws(RPCError) -> Subject? {
    guard let wire else {
      guard let user = call.caller.user else { throw EntitlementError.subjectRequired }
      return .user(user.userID)
    }
    return Subject(wire)
  }

  /// The subject of a request, once it is sure that the caller may see it.
  ///
  /// Services may see all; users themselves, and other subjects as TenancyService says.
  /// What may not be seen is answered like what does not exist.
  func subject(
    _ wire: Entitlement_V1.Subject?,
    _ call: CallContext
  ) async throws -> Subject {
    guard let subject = try plainSubject(wire, call) else { throw EntitlementError.notFound }
    switch call.caller {
    case .service: return subject
    case .anonymous: throw EntitlementError.userRequired
    case .user(let user):
      let userID = user.userID
      if subject.kind == .user {
        guard subject.id == userID else {
          throw Self.denying(EntitlementError.notFound, on: subject.id, call)
        }
        return subject
      }
      guard let permission = subject.viewPermission else { throw EntitlementError.notFound }
      try await require(permission, call)
      return subject
    }
  }

  /// A subject as far as its features count for a caller, and whether the caller may see the rest of what it has.
  ///
  /// Those whose roles begin below an organization need its features and limits, because conditions ask for them,
  /// and the tier that explains them; what was bought, when and until when is for those who may view it.
  func featureSubject(
    _ wire: Entitlement_V1.Subject?,
    _ call: CallContext,
    seeing see: (Entitlement_V1.Subject?, CallContext) async throws -> Subject
  ) async throws -> (subject: Subject, seesAll: Bool) {
    do {
      return (try await see(wire, call), true)
    } catch let refusal as RPCError where refusal.code == .notFound {
      guard let user = call.caller.user, let subject = try plainSubject(wire, call),
        subject.kind != .user, try await hasFeatures(user.userID, of: subject.id)
      else { throw refusal }
      return (subject, false)
    }
  }

  private func hasFeatures(_ userID: String, of entityID: String) async throws -> Bool {
    do {
      return try await authorizer.hasFeatures(userID, entityID)
    } catch let error as RPCError where Self.meansNothingIsSeen(error) {
      return false
    }
  }

  /// The subject that a user buys for, which is the caller if none is named, and the right that it takes.
  func purchaser(
    _ wire: Entitlement_V1.Subject?,
    _ call: CallContext
  ) throws -> (subject: Subject, right: NeededRight?) {
    let userID = try userID(call)
    guard let subject = try plainSubject(wire, call) else { throw EntitlementError.notFound }
    guard let right = subject.purchaseRight else {
      guard subject.id == userID else {
        throw Self.denying(EntitlementError.notFound, on: subject.id, call)
      }
      return (subject, nil)
    }
    return (subject, right)
  }

  /// As `subject(_:_:)`, for what users do for themselves alone, and services for what is shared.
  func ownSubject(_ wire: Entitlement_V1.Subject?, _ call: CallContext) async throws -> Subject {
    let subject = try await subject(wire, call)
    guard call.caller.user == nil || subject.kind == .user else {
      throw Self.denying(IdentityError.callerNotAllowed, on: subject.id, call)
    }
    return subject
  }

  /// The refusal of what is another's.
  static func denying(_ refusal: RPCError, on id: String, _ call: CallContext) -> RPCError {
    refusal.denying(call.method.fullName, on: id, because: "NOT_SELF")
  }

  /// Makes sure that the calling user has a permission, for reading: as TenancyService said lately.
  ///
  /// What may not be seen is answered like what does not exist.
  func require(_ permission: Permission, _ call: CallContext) async throws {
    let userID = try userID(call)
    var reason = "NOT_FOUND"
    do {
      if try await authorizer.check(permission, of: userID, call) { return }
    } catch let error as RPCError where Self.meansNothingIsSeen(error) {
      reason = error.reason ?? error.code.description
    }
    throw EntitlementError.notFound.denying(
      permission.action,
      on: permission.entity,
      because: reason
    )
  }

  /// Whether TenancyService said lately that a user has a permission.
  func isAllowed(
    _ permission: Permission,
    of userID: String,
    _ call: CallContext
  ) async throws -> Bool {
    do {
      return try await authorizer.check(permission, of: userID, call)
    } catch let error as RPCError where Self.meansNothingIsSeen(error) {
      return false
    }
  }

  /// Takes a record of what the caller may have written without a change.
  func takeOfAuditBudget(_ call: CallContext) throws {
    try auditBudget.take(call.caller.description)
  }

  /// Whether TenancyService has answered that the user sees nothing there.
  ///
  /// INVALID_ARGUMENT is its word for an action that no policy has, such as seeing an organization where
  /// there are none, or for an identifier that nothing can have: then nobody sees it.
  private static func meansNothingIsSeen(_ error: RPCError) -> Bool {
    [.notFound, .permissionDenied, .invalidArgument].contains(error.code)
  }

  // MARK: - Store

  /// The right that a write needs of its caller besides a method that is open to it.
  struct NeededRight {
    /// The permission that the caller needs.
    var permission: Permission
    /// The permission to know of the object at all.
    var view: Permission
  }

  /// Changes the store once for each idempotency key, and keeps those from the cache that change.
  ///
  /// What operators alone may do, and what needs a right, is done as long as the caller has that right
  /// when its turn comes, and repeated to no one else. `heads` is as for `ServiceStore.write`.
  func write<Request: Message, Response: Message>(
    _ key: String,
    _ request: Request,
    _ call: CallContext,
    needing needed: NeededRight? = nil,
    heads: WriteHeads = .unknown,
    _ body:
      @escaping @Sendable (borrowing WriteTransaction, SubjectChanges) throws -> Response
  ) async throws -> Response {
    let changes = subjectChanges()
    defer { changes.end() }
    // What tells it from others under its key.
    let bytes = key.isEmpty ? [] : request.protobufBytes
    for _ in 0..<Self.confirmationCountMax {
      let right = try await confirmedRight(of: call, needed)
      do {
        return try await store.write(call, once: key, bytes, heads: heads) { tx in
          guard right?.isCurrent != false else { throw StaleRight() }
          return try body(tx, changes)
        }
      } catch is StaleRight {}
    }
    throw EntitlementError.rightUnsettled
  }

  /// Changes the store for another service, which repeats the call as it likes.
  func change(
    _ call: CallContext,
    _ body: @escaping @Sendable (borrowing WriteTransaction, SubjectChanges) throws -> Void
  ) async throws {
    let changes = subjectChanges()
    defer { changes.end() }
    try await store.write(call) { tx in try body(tx, changes) }
  }

  /// Changes the store as the service does by itself.
  func changeOwn(
    _ body: @escaping @Sendable (borrowing WriteTransaction, SubjectChanges) throws -> Void
  ) async throws {
    let changes = subjectChanges()
    defer { changes.end() }
    try await store.writeOwn { tx in try body(tx, changes) }
  }

  private func subjectChanges() -> SubjectChanges {
    SubjectChanges(
      follower,
      tombstones: store.tombstones,
      pointsNews: pointsNews,
      isShared: store.database.isShared
    )
  }

  /// Times that a write is begun anew because what it rests on must be asked for first.
  static let confirmationCountMax = 3

  /// The caller's right may have ended since it was confirmed.
  private struct StaleRight: Error {}

  /// The right of a user to do what not everybody may; nil when the method needs none.
  ///
  /// The interceptor has looked at what was said lately, which is good enough to read.
  private func confirmedRight(
    of call: CallContext,
    _ needed: NeededRight?
  ) async throws -> PermissionConfirmation? {
    if let needed { return try await confirm(needed, call) }
    guard call.callerClass == .admin, let user = call.caller.user else { return nil }
    let right = try await authorizer.confirm(.administration, of: user.userID, call)
    guard right.decision.isAllowed else { throw IdentityError.operatorRequired }
    return right
  }

  private func confirm(
    _ needed: NeededRight,
    _ call: CallContext
  ) async throws -> PermissionConfirmation {
    let permission = needed.permission
    let right: PermissionConfirmation
    do {
      right = try await authorizer.confirm(permission, of: try userID(call), call)
    } catch let error as RPCError where Self.meansNothingIsSeen(error) {
      throw EntitlementError.notFound.denying(
        permission.action,
        on: permission.entity,
        because: error.reason ?? error.code.description
      )
    }
    guard !right.decision.isAllowed else { return right }
    // A caller who may not even see it gets NOT_FOUND.
    try await require(needed.view, call)
    throw EntitlementError.denied(permission.action, right.decision)
      .denying(permission.action, on: permission.entity, because: right.decision.reason)
  }
}

extension Subject {
  /// The right that buying for the subject takes; nil for users, who buy for themselves.
  var purchaseRight: EntitlementCore.NeededRight? {
    guard let permission = purchasePermission, let view = viewPermission else { return nil }
    return .init(permission: permission, view: view)
  }
}
