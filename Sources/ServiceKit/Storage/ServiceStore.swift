public import RPCKit

/// The store as a service uses it: the one way in which handlers and the service itself read and write.
///
/// A call that waits for its write holds no place in admission control; how many wait is bounded here, and
/// callers share the room. A handler says what changes. This brings the transaction, the idempotency key of the caller, the
/// author of audit records, and the errors that callers get when the store fails, alike in all services:
///
/// ```swift
/// return try await store.write(call, once: request.idempotencyKey, request.protobufBytes) { tx in
///   try Portfolios.insert(record, in: tx)
///   try tx.appendChange(kind: "portfolio", subject: record.id, scope: record.id)
///   try tx.audit("portfolio.create", object: record.id, scope: record.id, after: record.digest)
///   return record.message
/// }
/// ```
public struct ServiceStore: Sendable {
  /// The store itself, for what is not reading or writing: changes, readiness, closing.
  public let database: Database
  /// The domain of the service's reasons: `gatehouse.tenancy`.
  public let domain: String
  /// Users who were deleted; their calls that were under way write nothing.
  ///
  /// Nil where nobody is.
  public var tombstones: Tombstones?

  private let name: String
  private let identifiers: IdentifierFactory
  private let reads: Counter
  private let writes: Counter
  private let refusals: MetricFamily<Counter>
  private let logBudget: LogBudget

  /// Wraps the store of the service `name`: `tenancy`.
  public init(
    _ database: Database,
    of name: String,
    identifiers: IdentifierFactory,
    metrics: MetricRegistry
  ) {
    self.database = database
    self.name = name
    self.identifiers = identifiers
    domain = ServiceDomain.of(name)
    let transactions = metrics.counters(
      "gatehouse_service_store_transactions_total",
      help: "Transactions that calls made on the store, by kind.",
      labels: ["kind"]
    )
    (reads, writes) = (transactions.series("read"), transactions.series("write"))
    refusals = metrics.counters(
      "gatehouse_service_store_refusals_total",
      help:
        "Calls refused because too many were waiting for the store: caller, the caller's; full, all; or log, "
        + "because the caller had left too much log.",
      labels: ["reason"]
    )
    for reason in ["caller", "full"] { _ = refusals.series(reason) }
    logBudget = LogBudget(
      byteCount: database.configuration.logBudgetByteCount,
      domain: domain,
      refusals: refusals.series("log"),
      written: metrics.counter(
        "gatehouse_service_store_log_bytes_total",
        help: "Bytes that calls have left in the audit log and the log of changes."
      )
    )
    guard database.configuration.server == nil else { return }
    let path = database.configuration.path
    metrics.observe(
      "gatehouse_service_store_bytes",
      help: "Bytes of the store's file and its write-ahead log on the disk."
    ) {
      Double((StoreFile.byteCount(path) ?? 0) + (StoreFile.byteCount("\(path)-wal") ?? 0))
    }
  }

  /// Writes that calls have asked for since the service was started, those that wait for their turn included.
  public var writeCount: UInt64 { writes.value }

  /// Returns once memory has followed all that was committed before, by whatever program that serves the store.
  ///
  /// Throws for a store that fails what `StoreError.rpcError` says.
  public func catchUp() async throws { try await answering { try await database.catchUp() } }

  /// Runs `body` on one snapshot of the store.
  ///
  /// When many reads wait, callers take turns: a read is the call's that the current task serves.
  ///
  /// `asksTogether` is as for `Database.read`. Throws what `body` throws, and for a store that fails what
  /// `StoreError.rpcError` says.
  public func read<R: Sendable>(
    asksTogether: Bool = false,
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R {
    reads.increment()
    let owner = CallContext.current.map { CountedCaller(writing: $0) }
    return try await answering {
      try await database.read(of: owner, asksTogether: asksTogether, body)
    }
  }

  /// Runs `body` as one change of a call that has no idempotency key, and returns when it is durable.
  ///
  /// Whether the caller is still who it was as the turn of the write comes is for `body` to look at: anyone who
  /// signs out twice at once has nothing to be refused for. `heads` is as for `Database.write`.
  @discardableResult
  public func write<R: Sendable>(
    _ call: CallContext,
    heads: WriteHeads = .unknown,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    writes.increment()
    let body = budgeted(call, body)
    return try await answering {
      try await database.write(as: Author(call, identifiers), heads: heads, body)
    }
  }

  /// Runs `body` as one change of a call, at most once for each caller and key; returns when it is durable.
  ///
  /// A repeated request gets the kept answer. UNAUTHENTICATED when the caller's token is no longer
  /// accepted by the time of the write.
  ///
  /// `request` tells the request from others under the same key and must be encoded alike each time.
  /// The key belongs to `owner` instead of the caller where the call itself finds out whose it is, as in
  /// signing in. `onReplay` runs before an answer is repeated and can throw instead. See `Database.writeOnce`, for
  /// `heads` too.
  public func write<Response: Message>(
    _ call: CallContext,
    once key: String,
    _ request: [UInt8],
    of owner: String? = nil,
    heads: WriteHeads = .unknown,
    onReplay: @escaping @Sendable (borrowing WriteTransaction) throws -> Void = { _ in },
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    writes.increment()
    let body = budgeted(call, body)
    return try await answering {
      try await database.writeOnce(
        IdempotencyKey(
          caller: owner ?? call.caller.description,
          key: key,
          method: call.method.fullName,
          request: request
        ),
        domain: domain,
        for: call.caller,
        as: Author(call, identifiers),
        heads: heads,
        onReplay: onReplay,
        body
      )
    }
  }

  /// A change of a call, as long as its caller exists and has some of its budget left.
  private func budgeted<R>(
    _ call: CallContext,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) -> @Sendable (borrowing WriteTransaction) throws -> R {
    let (tombstones, budget) = (tombstones, logBudget)
    let (owner, charge) = (LogBudget.owner(of: call), LogCharge())
    return { tx in
      try tombstones?.refuse(call.caller, in: tx)
      try budget.require(owner, now: tx.now)
      let result = try body(tx)
      budget.charge(tx.loggedByteCount, to: owner, charge, now: tx.now)
      return result
    }
  }

  /// Runs `body` as one change that the service makes by itself: loading a policy, making a key.
  ///
  /// Audited as the service's unless another actor is given, under a request id of its own. Throws
  /// `StoreError`, as no caller is answered.
  @discardableResult
  public func writeOwn<R: Sendable>(
    as actor: AuditActor? = nil,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    try await database.write(
      as: Author(actor ?? .service(name), requestID: identifiers.make(.request)),
      body
    )
  }

  /// The error of a failed store for a caller.
  private func answering<R>(_ body: () async throws -> R) async throws -> R {
    do {
      return try await body()
    } catch let error as StoreError {
      switch error {
      case .overloaded: refusals.series("full").increment()
      case .callerOverloaded: refusals.series("caller").increment()
      default: break
      }
      throw error.rpcError(domain: domain)
    }
  }
}

/// The domains of reasons.
public enum ServiceDomain {
  /// That of a service: `gatehouse.tenancy`.
  public static func of(_ service: String) -> String { "gatehouse.\(service)" }
}
