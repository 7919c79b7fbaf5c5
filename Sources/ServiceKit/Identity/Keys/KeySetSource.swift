public import PeerContracts
public import RPCKit

/// The keys of AuthService as another service knows them: fetched, kept, fetched again in time.
///
/// What was fetched last stays good when AuthService cannot be reached. A token that names an unknown
/// key makes it ask again, once for all callers that wait and at most twice within a minute: otherwise
/// made-up names would turn every call into two. A key may be in use although the last fetch did not bring
/// it: after its clock was set right AuthService signs with a new key at once. So only a key that a fetch was
/// made for and did not bring is said not to exist; of other keys nothing is known until the minute is over.
public final class KeySetSource: KeySource {
  /// Gets the keys from where they are.
  public typealias Fetch = @Sendable () async throws -> KeySet

  /// The shortest pause between two fetches.
  public static let pauseMin = Duration.seconds(60)
  /// Names of missing keys that are remembered.
  static let missingCountMax = 256
  /// How old keys may grow before they are fetched anyway, so that withdrawn ones go.
  public static let ageMax = Duration.seconds(300)
  /// How long to wait after a fetch that failed.
  static let backOff = BackOff(initial: .milliseconds(200), maximum: .seconds(2))

  /// The only question there is.
  private enum Question { case keys }

  private struct State {
    var keys = KeySet([])
    var isLoaded = false
    var lastAttempt: MonotonicInstant?
    /// Whether the fetch that is allowed within the pause was made.
    var hasAskedOnceMore = false
    /// Names of keys that the fetches made for them did not bring, and when.
    var missing: [String: MonotonicInstant] = [:]
    var flights = Flights<Question, Void>(countMax: 1)
    /// Fetches that failed since the last one that did not.
    var failureCount = 0
    /// Why the last of them failed.
    var failure: (any Error)?

    mutating func accept(
      _ outcome: Result<KeySet, any Error>,
      for keyID: String?,
      at now: MonotonicInstant
    ) {
      let fetched: KeySet
      switch outcome {
      case .success(let keys): fetched = keys
      case .failure(let error):
        failureCount += 1
        failure = error
        return
      }
      failureCount = 0
      failure = nil
      isLoaded = true
      // The same set again stays the same one, so that tokens need not be looked at again.
      if fetched != keys { keys = fetched }
      guard let keyID, keys[keyID] == nil else { return }
      if missing.count >= KeySetSource.missingCountMax { missing = [:] }
      missing[keyID] = now
    }
  }

  private let fetch: Fetch
  private let loop: any EventLoop
  private let random: any RandomSource
  private let logger: Logger
  private let state = Lock(State())

  /// Makes a source that has no keys yet; `run` gets them.
  ///
  /// `fetch` must end by itself in a few seconds; `random` spreads attempts over time.
  public init(
    loop: any EventLoop,
    random: any RandomSource = SystemRandomSource(),
    logger: Logger,
    fetch: @escaping Fetch
  ) {
    self.loop = loop
    self.random = random
    self.logger = logger
    self.fetch = fetch
  }

  /// Makes a source of AuthService's keys.
  public convenience init(
    _ client: Auth_V1.KeysClient,
    loop: any EventLoop,
    random: any RandomSource = SystemRandomSource(),
    logger: Logger
  ) {
    self.init(loop: loop, random: random, logger: logger) {
      try KeySet(await client.getKeySet(.init(), timeout: .seconds(5)))
    }
  }

  /// The keys that were fetched last; none before the first fetch succeeds.
  public var keys: KeySet { state.withLock { $0.keys } }

  /// See `KeySource.isCurrent`: whether the last fetch succeeded.
  public var isCurrent: Bool { state.withLock { $0.isLoaded && $0.failureCount == 0 } }

  /// Whether there were keys ever; for readiness.
  public var isLoaded: Bool { state.withLock { $0.isLoaded } }

  /// For readiness: keys must have been there once.
  ///
  /// The detail says whether AuthService could not be reached or refused.
  package var readinessCheck: Readiness.Check {
    let (isLoaded, failure) = state.withLock { ($0.isLoaded, $0.failure) }
    var detail: String?
    if !isLoaded {
      detail =
        switch failure {
        case nil: "AuthService has not answered yet"
        case let error? where error.isPeerUnavailable:
          "AuthService cannot be reached: \(RPCError.descriptionWithCause(of: error))"
        case let error?:
          "AuthService does not give its keys: \(RPCError.descriptionWithCause(of: error))"
        }
    }
    return Readiness.Check("signing keys", isReady: isLoaded, detail: detail)
  }

  /// Fetches the keys and keeps doing so until the task is cancelled.
  public func run() async {
    while !Task.isCancelled {
      await fetchOnce()
      let failureCount = state.withLock { $0.failureCount }
      await loop.sleep(
        failureCount == 0
          ? Self.ageMax : Self.backOff.pause(attempt: failureCount, random: random.number())
      )
    }
  }

  /// See `KeySource.refresh`.
  public func refresh(for keyID: String) async -> Bool {
    // One that is under way may have begun before the key was made.
    try? await state.withLock { $0.flights.current(.keys) }?.value
    let flight = state.withLock { state in
      mustAsk(for: keyID, &state)
        ? state.flights.join(.keys) { await self.perform($0, for: keyID) } : nil
    }
    try? await flight?.value
    return state.withLock { state in
      state.missing[keyID] != nil && state.failureCount == 0
    }
  }

  /// Whether the key is worth a fetch, or one that is under way; claims it.
  private func mustAsk(for keyID: String, _ state: inout State) -> Bool {
    let now = loop.preciseNow
    guard state.keys[keyID] == nil else { return false }
    if let since = state.missing[keyID] {
      if since.duration(to: now) < Self.pauseMin { return false }
      state.missing[keyID] = nil
    }
    guard state.flights.isEmpty, state.isLoaded, let last = state.lastAttempt,
      last.duration(to: now) < Self.pauseMin
    else { return true }
    defer { state.hasAskedOnceMore = true }
    return !state.hasAskedOnceMore
  }

  /// Fetches, or waits for the fetch that is in flight.
  private func fetchOnce() async {
    let flight = join()
    // A fetch that fails says so itself, and leaves the last good keys in place.
    try? await flight?.value
  }

  /// The fetch that is in flight, or a new one; never nil, because there is one question.
  func join() -> Task<Void, any Error>? {
    state.withLock { state in state.flights.join(.keys) { await self.perform($0) } }
  }

  /// Fetches; `keyID` is the key that this is done for, if it is for one.
  private func perform(_ id: Flights<Question, Void>.ID, for keyID: String? = nil) async {
    let outcome: Result<KeySet, any Error>
    do {
      let keys = try await fetch()
      // An empty set is a fault of anyone who answered, and would lock everybody out.
      outcome = keys.isEmpty ? .failure(EmptyKeySet()) : .success(keys)
    } catch {
      outcome = .failure(error)
    }
    let failureCount = state.withLock { state in
      state.flights.land(.keys, id)
      let now = loop.preciseNow
      if let last = state.lastAttempt, last.duration(to: now) >= Self.pauseMin {
        state.hasAskedOnceMore = false
      }
      state.lastAttempt = now
      defer { state.accept(outcome, for: keyID, at: now) }
      return state.failureCount
    }
    // One line when it begins to fail and one when it works again, not one for each attempt.
    switch outcome {
    case .failure(let error) where failureCount == 0:
      logger.log(
        error.isPeerUnavailable ? .info : .warning,
        "the key set could not be fetched; keeping the old keys",
        ["error": .string(RPCError.descriptionWithCause(of: error))]
      )
    case .success where failureCount > 0: logger.info("the key set is fetched again")
    default: break
    }
  }

  private struct EmptyKeySet: Error, CustomStringConvertible {
    var description: String { "the fetched key set is empty" }
  }
}

extension KeySet {
  /// Reads the answer of `Keys.GetKeySet`; throws `KeyError` for a key that is none.
  public init(_ message: Auth_V1.KeySet) throws(KeyError) {
    var keys: [VerificationKey] = []
    var validities: [String: ClosedRange<Int64>] = [:]
    for key in message.keys {
      guard key.algorithm == VerificationKey.algorithm else { continue }
      let verificationKey = try VerificationKey(x: key.x, y: key.y)
      guard verificationKey.id == key.keyId else { throw .malformed }
      keys.append(verificationKey)
      let start = key.notBefore?.milliseconds ?? 0
      let end = key.expiresAt?.milliseconds ?? .max / 2
      if start <= end { validities[key.keyId] = start...end }
    }
    self.init(keys, validities: validities)
  }
}
