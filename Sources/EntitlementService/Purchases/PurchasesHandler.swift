internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Purchases of users, as devices and the store report them.
struct PurchasesHandler: Entitlement_V1.PurchasesService {
  let core: EntitlementCore
  let catalogue: CurrentCatalog
  let settings: PurchaseSettings
  let accounts: any AccountDirectory
  let verifier: AppleVerifier
  let metrics: PurchaseMetrics

  func submitTransaction(
    _ request: Entitlement_V1.SubmitTransactionRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.SubmitTransactionResponse {
    let userID = try core.userID(call)
    let verified = try await counting {
      try await verifier.transaction(request.signedTransaction, call)
    }
    return try await takePurchases(request.idempotencyKey, request, call) { intake, tx, changes in
      let claim = PurchaseIntake.Claim(userID: userID, isRestore: false)
      let outcome = try intake.take(try verified.purchase(), claim: claim, in: tx, changes)
      return .init(
        result: result(of: outcome, for: userID),
        purchase: outcome.record.wire(at: core.clock.now, intake.catalog),
        version: try SubjectVersionTable.current(of: .user(userID), in: tx)
      )
    }
  }

  func restore(
    _ request: Entitlement_V1.RestoreRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.RestoreResponse {
    let userID = try core.userID(call)
    var checked: [Result<Verified<AppleTransaction>, AppleVerificationError>] = []
    for text in request.signedTransactions {
      do {
        checked.append(.success(try await verifier.transaction(text, call)))
      } catch let error as AppleVerificationError {
        metrics.refused(error)
        if error == .retry { throw PurchaseError.rejected(error) }
        checked.append(.failure(error))
      }
      try Task.checkCancellation()
    }
    let transactions = checked
    return try await takePurchases(request.idempotencyKey, request, call) { intake, tx, changes in
      var restored: [Entitlement_V1.RestoredTransaction] = []
      for transaction in transactions {
        restored.append(try restore(transaction, userID, intake, in: tx, changes))
      }
      return .init(
        transactions: restored,
        version: try SubjectVersionTable.current(of: .user(userID), in: tx)
      )
    }
  }

  func list(
    _ request: Entitlement_V1.ListPurchasesRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ListPurchasesResponse {
    let userID = try await core.readableUser(request.userId, call)
    let direction = ListDirection(request.sortBy, standard: .descending)
    let page = try await core.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      of: [userID] + (request.sortBy.isEmpty ? [] : [request.sortBy]),
      call,
      cursorCount: 2,
      cursor: \PurchaseRecord.place.cursor
    ) { cursor, skipped, count, tx in
      let start = cursor.flatMap { PurchasePlace(cursor: $0) }
      return try PurchaseTable.page(
        of: userID,
        after: start,
        direction,
        skipping: skipped,
        count: count,
        in: tx
      )
    }
    let (now, catalog) = (core.clock.now, catalogue.value)
    return .init(
      purchases: page.records.map { $0.wire(at: now, catalog) },
      nextPageToken: page.next
    )
  }

  // MARK: - Common

  /// Verifies data; counts what is not genuine, and throws it as callers see it.
  func counting<Payload>(
    _ verify: () async throws -> Verified<Payload>
  ) async throws -> Verified<Payload> {
    do {
      return try await verify()
    } catch let error as AppleVerificationError {
      metrics.refused(error)
      throw PurchaseError.rejected(error)
    }
  }

  /// Takes purchases in for the caller, or for another user whom the data proves.
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
      identifiers: core.identifiers,
      policy: settings.restorePolicy,
      actor: actor,
      catalog: catalogue.value,
      accounts: known
    )
    for _ in 0..<EntitlementCore.confirmationCountMax {
      do {
        return try await core.write(key, request, call) { tx, changes in
          let response = try body(intake, tx, changes)
          guard known.isComplete else { throw AccountsUndecided() }
          return response
        }
      } catch is AccountsUndecided {
        await known.ask(accounts)
      }
    }
    throw PurchaseError.authUnavailable
  }

  /// How a transaction was taken, for its user.
  func result(
    of outcome: PurchaseIntake.Outcome,
    for userID: String
  ) -> Entitlement_V1.TransactionResult {
    guard settings.apple.scope.counts(outcome.record.purchase, for: userID) else { return .sandbox }
    return outcome.isApplied ? .applied : .unchanged
  }

  /// Takes one of several transactions, so that a bad one does not keep the others out.
  private func restore(
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
          try intake.take(try verified.purchase(), claim: claim, in: tx, changes)
        }
        return .init(
          result: result(of: outcome, for: userID),
          purchase: outcome.record.wire(at: core.clock.now, intake.catalog)
        )
      } catch is AccountsUndecided {
        // The others are looked at too, so that all are asked for at once; nothing of this remains.
        return .init(result: .invalid)
      } catch let error as RPCError where PurchaseError.isOfTransaction(error) {
        let isClaimed = PurchaseError.isClaim(error)
        return .init(result: isClaimed ? .alreadyClaimed : .invalid, reason: error.reason ?? "")
      }
    }
  }
}
