internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Purchases, as devices and the store report them.
struct PurchasesHandler: Entitlement_V1.PurchasesService {
  let core: EntitlementCore
  let catalogue: CurrentCatalog
  let settings: PurchaseSettings
  let accounts: any AccountDirectory
  let stores: PurchaseStores
  let metrics: PurchaseMetrics

  func submitTransaction(
    _ request: Entitlement_V1.SubmitTransactionRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.SubmitTransactionResponse {
    let (claim, right) = try claim(on: request.subject, isRestore: false, call)
    let store = try stores[request.store]
    let proven = try await counting { try await store.purchase(request.signedTransaction, call) }
    return try await takePurchases(request.idempotencyKey, request, call, needing: right) {
      intake,
      tx,
      changes in
      let outcome = try intake.take(try proven.get(), claim: claim, in: tx, changes)
      let take = taken(outcome, by: claim, intake.catalog)
      return .init(
        result: take.result,
        purchase: take.purchase,
        version: try SubjectVersionTable.current(of: take.subject, in: tx)
      )
    }
  }

  func restore(
    _ request: Entitlement_V1.RestoreRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.RestoreResponse {
    let (claim, right) = try claim(on: request.subject, isRestore: true, call)
    let store = try stores[request.store]
    var checked: [Result<ProvenPurchase, RefusedStoreData>] = []
    for text in request.signedTransactions {
      do {
        checked.append(.success(try await store.purchase(text, call)))
      } catch let error as RefusedStoreData {
        metrics.refused(error)
        if error == .retry { throw PurchaseError.rejected(error) }
        checked.append(.failure(error))
      }
      try Task.checkCancellation()
    }
    let transactions = checked
    return try await takePurchases(request.idempotencyKey, request, call, needing: right) {
      intake,
      tx,
      changes in
      var restored: [Entitlement_V1.RestoredTransaction] = []
      for transaction in transactions {
        restored.append(try restore(transaction, claim, intake, in: tx, changes))
      }
      return .init(
        transactions: restored,
        version: try SubjectVersionTable.current(of: claim.subject ?? .user(claim.buyerID), in: tx)
      )
    }
  }

  func handleNotification(
    _ request: Entitlement_V1.HandleNotificationRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.HandleNotificationResponse {
    try await stores.standard.handle(request, call, self)
  }

  func list(
    _ request: Entitlement_V1.ListPurchasesRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ListPurchasesResponse {
    let owner = try await listed(request, call)
    let direction = ListDirection(request.sortBy, standard: .descending)
    let page = try await core.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      of: owner.filter + (request.sortBy.isEmpty ? [] : [request.sortBy]),
      call,
      cursorCount: 2,
      cursor: \BoundPurchase.record.place.cursor
    ) { cursor, skipped, count, tx in
      let start = cursor.flatMap { PurchasePlace(cursor: $0) }
      return try PurchaseBindingTable.page(
        of: owner,
        after: start,
        direction,
        skipping: skipped,
        count: count,
        in: tx
      )
    }
    let (now, catalog) = (core.clock.now, catalogue.value)
    return .init(
      purchases: await core.names.named(page.records.map { $0.wire(at: now, catalog) }),
      nextPageToken: page.next
    )
  }

  /// The purchases that the caller asks for and may see.
  private func listed(
    _ request: Entitlement_V1.ListPurchasesRequest,
    _ call: CallContext
  ) async throws -> PurchaseOwner {
    guard let wire = request.subject else {
      return .buyer(try await core.readableUser(request.userId, call))
    }
    guard let subject = Subject(wire) else { throw EntitlementError.notFound }
    guard let permission = subject.purchasePermission else {
      return .buyer(try await core.readableUser(subject.id, call))
    }
    do {
      try await core.require(permission, call)
      try await core.recordLook(at: subject, call)
    } catch let refusal as RPCError where refusal.code == .notFound {
      try await core.admitOperator(to: subject.id, call, otherwise: refusal)
    }
    return .subject(subject)
  }

  // MARK: - Common

  /// The claim of the caller on purchases for a subject, and the right that it takes.
  func claim(
    on wire: Entitlement_V1.Subject?,
    isRestore: Bool,
    _ call: CallContext
  ) throws -> (PurchaseIntake.Claim, EntitlementCore.NeededRight?) {
    let userID = try core.userID(call)
    guard let wire else {
      return (PurchaseIntake.Claim(buyerID: userID, isRestore: isRestore), nil)
    }
    let (subject, right) = try core.purchaser(wire, call)
    let claim = PurchaseIntake.Claim(buyerID: userID, subject: subject, isRestore: isRestore)
    return (claim, right)
  }

  /// Verifies data; counts what is not genuine, and throws it as callers see it.
  func counting<Proof>(_ verify: () async throws -> Proof) async throws -> Proof {
    do {
      return try await verify()
    } catch let error as RefusedStoreData {
      metrics.refused(error)
      throw PurchaseError.rejected(error)
    }
  }

  /// Takes purchases in for the caller, or for another user whom the data proves.
  ///
  /// Runs `body` once more when something must be known first that another service knows.
  func takePurchases<Request: Message, Response: Message>(
    _ key: String,
    _ request: Request,
    _ call: CallContext,
    by actor: AuditActor? = nil,
    needing right: EntitlementCore.NeededRight? = nil,
    _ body:
      @escaping @Sendable (PurchaseIntake, borrowing WriteTransaction, SubjectChanges) throws ->
      Response
  ) async throws -> Response {
    let questions = IntakeQuestions()
    let intake = PurchaseIntake(
      identifiers: core.identifiers,
      policy: settings.restorePolicy,
      actor: actor,
      catalog: catalogue.value,
      scope: settings.scope,
      questions: questions
    )
    for _ in 0..<EntitlementCore.confirmationCountMax {
      do {
        return try await core.write(key, request, call, needing: right) { tx, changes in
          let response = try body(intake, tx, changes)
          guard questions.isComplete else { throw IntakeUndecided() }
          return response
        }
      } catch is IntakeUndecided {
        await questions.ask(accounts, core.authorizer)
      }
    }
    throw PurchaseError.authUnavailable
  }

  /// How a transaction was taken, for the subject that has it now.
  func taken(
    _ outcome: PurchaseIntake.Outcome,
    by claim: PurchaseIntake.Claim,
    _ catalog: Catalog
  ) -> (
    subject: Subject, result: Entitlement_V1.TransactionResult, purchase: Entitlement_V1.Purchase
  ) {
    let binding = outcome.binding(of: claim)
    let subject = binding?.subject ?? .user(claim.buyerID)
    let isCounted = settings.scope.counts(outcome.record.purchase, for: subject.id)
    let bound = BoundPurchase(record: outcome.record, binding: binding)
    return (
      subject,
      isCounted ? (outcome.isApplied ? .applied : .unchanged) : .sandbox,
      bound.wire(at: core.clock.now, catalog)
    )
  }

  /// Takes one of several transactions, so that a bad one does not keep the others out.
  private func restore(
    _ checked: Result<ProvenPurchase, RefusedStoreData>,
    _ claim: PurchaseIntake.Claim,
    _ intake: PurchaseIntake,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Entitlement_V1.RestoredTransaction {
    switch checked {
    case .failure(.invalid(let reason)): return .init(result: .invalid, reason: reason)
    case .failure(.retry): return .init(result: .invalid, reason: "RETRY")
    case .success(let proven):
      do {
        let outcome = try tx.attempt {
          try intake.take(try proven.get(), claim: claim, in: tx, changes)
        }
        let take = taken(outcome, by: claim, intake.catalog)
        return .init(result: take.result, purchase: take.purchase)
      } catch is IntakeUndecided {
        // The others are looked at too, so that all are asked for at once; nothing of this remains.
        return .init(result: .invalid)
      } catch let error as RPCError where PurchaseError.isOfTransaction(error) {
        let isClaimed = PurchaseError.isClaim(error)
        return .init(result: isClaimed ? .alreadyClaimed : .invalid, reason: error.reason ?? "")
      }
    }
  }
}
