internal import Contracts
internal import RPCKit
internal import ServiceKit

/// What the handlers of this service share.
final class EntitlementCore: Sendable {
  /// The kind of change that says that the catalogue is another one.
  static let tiersChangeKind = "tiers"

  let configuration: EntitlementConfiguration
  let store: ServiceStore
  let clock: any WallClock
  /// Seals page tokens.
  let tokens: TokenSealer
  let metrics: EntitlementMetrics
  /// What operators may read about others.
  private let auditBudget: AuditBudget
  private let authorizer: any SubjectAuthorizer
  private let accounts: any AccountDirectory
  let identifiers: IdentifierFactory
  let verifier: SignedDataVerifier
  let receiptVerifier: ReceiptVerifier
  /// Where signatures are checked.
  let signatures: Bulkhead
  /// Counts the notifications of each source that were not genuine.
  let notificationLimiter: SourceLimiter
  /// Counts the codes of each user that no coupon has: ten, which come back within an hour.
  let couponLimiter: SourceLimiter
  private let cache: HoldingsCache
  private let currentResolver: Lock<Resolver>
  /// What comes into force with the commit that says so.
  private let preparedCatalog = Lock<Catalog?>(nil)

  init(
    configuration: EntitlementConfiguration,
    dependencies: EntitlementDependencies,
    identifiers: IdentifierFactory,
    store: ServiceStore,
    tokens: TokenSealer,
    verifier: SignedDataVerifier,
    receiptVerifier: ReceiptVerifier,
    signatures: Bulkhead
  ) {
    self.configuration = configuration
    self.identifiers = identifiers
    self.store = store
    self.tokens = tokens
    self.verifier = verifier
    self.receiptVerifier = receiptVerifier
    self.signatures = signatures
    notificationLimiter = SourceLimiter(
      limit: configuration.notificationLimits.forged,
      window: configuration.notificationLimits.rules.window,
      sourceCount: configuration.notificationLimits.rules.sourceCount,
      key: dependencies.random.bytes(32)
    )
    couponLimiter = SourceLimiter(
      limit: 10,
      window: 3_600_000,
      sourceCount: 16_384,
      key: dependencies.random.bytes(32)
    )
    clock = dependencies.clock
    metrics = EntitlementMetrics(dependencies.metrics)
    auditBudget = AuditBudget(
      domain: ServiceFault.domain,
      clock: dependencies.clock,
      metrics: dependencies.metrics
    )
    authorizer = dependencies.authorizer
    accounts = dependencies.accounts
    cache = HoldingsCache(countMax: configuration.cachedSubjectCountMax)
    currentResolver = Lock(
      Resolver(
        catalog: configuration.catalog,
        environment: configuration.environment,
        sandboxUsers: configuration.sandboxUsers
      )
    )
  }

  /// The store itself, for what is not reading or writing.
  var database: Database { store.database }

  /// The rules with the catalogue of the moment.
  var resolver: Resolver { currentResolver.withLock { $0 } }

  /// Has a catalogue ready to come into force with the commit that tells of it, or none.
  func prepare(_ catalog: Catalog?) { preparedCatalog.withLock { $0 = catalog } }

  /// The instant after which nobody may rely on an answer that is given now.
  func latest(from now: Int64) -> Int64 { now + configuration.answerLifetime }

  // MARK: - Who and what

  /// The calling user; throws UNAUTHENTICATED without one.
  func userID(_ call: CallContext) throws(RPCError) -> String {
    guard let user = call.caller.user else { throw ServiceFault.userRequired }
    return user.userID
  }

  /// The subject of a request: the one named, or else the calling user.
  func plainSubject(
    _ wire: Entitlement_V1.Subject?,
    _ call: CallContext
  ) throws(RPCError) -> Subject? {
    guard let wire else {
      guard let user = call.caller.user else { throw ServiceFault.subjectRequired }
      return .user(user.userID)
    }
    return Subject(wire)
  }

  /// The subject of a request, once it is sure that the caller may see it.
  ///
  /// Services may see all; users themselves, and portfolios and organizations as TenancyService says.
  /// What may not be seen is answered like what does not exist.
  func subject(
    _ wire: Entitlement_V1.Subject?,
    _ call: CallContext
  ) async throws -> Subject {
    guard let subject = try plainSubject(wire, call) else { throw ServiceFault.notFound }
    switch call.caller {
    case .service: return subject
    case .anonymous: throw ServiceFault.userRequired
    case .user(let user):
      let userID = user.userID
      if subject.kind == .user {
        guard subject.id == userID else {
          throw ServiceFault.notFound.denying(
            call.method.fullName,
            on: subject.id,
            because: "NOT_SELF"
          )
        }
        return subject
      }
      guard let permission = subject.viewPermission else { throw ServiceFault.notFound }
      try await require(permission, call)
      return subject
    }
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
    throw ServiceFault.notFound.denying(
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

  /// What a subject has, from memory or the store.
  func holdings(of subject: Subject) async throws -> Holdings {
    switch cache.lookup(subject) {
    case .known(let holdings): return holdings
    case .unknown(let ticket):
      do {
        let holdings = try await store.read { try Holdings(stored: subject, in: $0) }
        cache.finish(ticket, subject, holdings)
        return holdings
      } catch {
        cache.finish(ticket, subject, nil)
        throw error
      }
    }
  }

  /// What a write needs of its caller besides a method that is open to it.
  struct NeededRight {
    /// What the caller must be allowed to do.
    var permission: Permission
    /// What it needs to know of the object at all.
    var view: Permission
  }

  /// Changes the store once for each idempotency key, and keeps those from the cache that change.
  ///
  /// What operators alone may do, and what needs a right, is done as long as the caller has that right
  /// when its turn comes, and repeated to no one else.
  func write<Request: Message, Response: Message>(
    _ key: String,
    _ request: Request,
    _ call: CallContext,
    needing needed: NeededRight? = nil,
    _ body:
      @escaping @Sendable (borrowing WriteTransaction, SubjectChanges) throws -> Response
  ) async throws -> Response {
    let changes = SubjectChanges(cache, tombstones: store.tombstones, catalog: resolver.catalog)
    defer { changes.end() }
    // What tells it from others under its key.
    let bytes = key.isEmpty ? [] : request.protobufBytes
    for _ in 0..<Self.confirmationCountMax {
      let right = try await confirmedRight(of: call, needed)
      do {
        return try await store.write(call, once: key, bytes) { tx in
          guard right?.isCurrent != false else { throw StaleRight() }
          return try body(tx, changes)
        }
      } catch is StaleRight {}
    }
    throw ServiceFault.rightUnsettled
  }

  /// Changes the store for another service, which repeats the call as it likes.
  func change(
    _ call: CallContext,
    _ body: @escaping @Sendable (borrowing WriteTransaction, SubjectChanges) throws -> Void
  ) async throws {
    let changes = SubjectChanges(cache, tombstones: store.tombstones, catalog: resolver.catalog)
    defer { changes.end() }
    try await store.write(call) { tx in try body(tx, changes) }
  }

  /// Times that a right is asked for because it may have changed while the write waited.
  private static let confirmationCountMax = 3

  /// What a caller's right was said to be may be so no more.
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
      throw ServiceFault.notFound.denying(
        permission.action,
        on: permission.entity,
        because: error.reason ?? error.code.description
      )
    }
    guard !right.decision.isAllowed else { return right }
    // Who may not even see it is told that there is nothing.
    try await require(needed.view, call)
    throw ServiceFault.denied(permission.action, right.decision)
      .denying(permission.action, on: permission.entity, because: right.decision.reason)
  }

  /// Runs a rule; its errors become what callers see.
  func answer<R>(_ body: () throws(EntitlementError) -> R) throws(RPCError) -> R {
    do throws(EntitlementError) {
      return try body()
    } catch {
      throw error.rpcError
    }
  }

  // MARK: - Purchases

  /// Takes purchases in for whoever makes the call, or for somebody else whom its data proves.
  ///
  /// Runs `body` once more when it must be known first whether users exist whom purchases name.
  func takePurchases<Request: Message, Response: Message>(
    _ key: String,
    _ request: Request,
    _ call: CallContext,
    by actor: AuditActor? = nil,
    _ body:
      @escaping @Sendable (PurchaseIntake, borrowing WriteTransaction, SubjectChanges) throws ->
      Response
  ) async throws -> Response {
    let known = NamedAccounts()
    let intake = PurchaseIntake(
      identifiers: identifiers,
      policy: configuration.restorePolicy,
      actor: actor,
      catalog: resolver.catalog,
      accounts: known
    )
    for _ in 0..<Self.confirmationCountMax {
      do {
        return try await write(key, request, call) { tx, changes in
          let response = try body(intake, tx, changes)
          guard known.isComplete else { throw AccountsUndecided() }
          return response
        }
      } catch is AccountsUndecided {
        await known.ask(accounts)
      }
    }
    throw ServiceFault.authUnavailable
  }

  /// How a transaction was taken, for its user.
  func result(
    of outcome: PurchaseIntake.Outcome,
    for userID: String
  ) -> Entitlement_V1.TransactionResult {
    guard resolver.counts(outcome.record.purchase, for: userID) else { return .sandbox }
    return outcome.isApplied ? .applied : .unchanged
  }

  /// Takes one of several transactions, so that a bad one does not keep the others out.
  func restore(
    _ checked: Result<Verified<AppleTransaction>, AppleVerificationError>,
    _ userID: String,
    _ intake: PurchaseIntake,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Entitlement_V1.RestoredTransaction {
    switch checked {
    case .failure(.invalid(let reason)): return .init(result: .invalid, reason: reason.name)
    case .failure(.retry): return .init(result: .invalid, reason: "RETRY")
    case .success(let verified):
      do {
        let claim = PurchaseIntake.Claim(userID: userID, isRestore: true)
        let outcome = try tx.attempt {
          try intake.take(verified, claim: claim, in: tx, changes)
        }
        return .init(
          result: result(of: outcome, for: userID),
          purchase: outcome.record.wire(at: clock.now, intake.catalog)
        )
      } catch is AccountsUndecided {
        // The others are looked at too, so that all are asked for at once; nothing of this remains.
        return .init(result: .invalid)
      } catch let error as EntitlementError {
        let isClaimed = [.alreadyClaimed, .alreadyUsedUp, .transferLimit].contains(error)
        return .init(result: isClaimed ? .alreadyClaimed : .invalid, reason: error.reason)
      }
    }
  }
}

extension Holdings {
  /// What the store says that a subject has.
  init(stored subject: Subject, in tx: borrowing some StoreTransaction & ~Copyable) throws {
    self.init(
      subject: subject,
      subscription: try SubscriptionTable.load(subject, in: tx),
      scheduled: try ScheduledChangeTable.all(of: subject, in: tx),
      redemptions: try RedemptionTable.latest(of: subject, in: tx),
      purchases: subject.kind == .user ? try PurchaseTable.held(by: subject.id, in: tx) : [],
      version: try SubjectVersions.current(of: subject, in: tx)
    )
  }
}

extension EntitlementCore: CommitFollower {
  /// Goes on with the catalogue that a commit tells of.
  func follow(_ changes: [Change]) {
    guard changes.contains(where: { $0.kind == Self.tiersChangeKind }),
      let catalog = preparedCatalog.withLock({ $0.take() })
    else { return }
    currentResolver.withLock { resolver in
      resolver = Resolver(
        catalog: catalog,
        environment: resolver.environment,
        sandboxUsers: resolver.sandboxUsers
      )
    }
  }
}

extension ConflictKey {
  /// What is sold: writes that were checked against it run again when it changes before them.
  static let catalog = ConflictKey("catalog")
}
