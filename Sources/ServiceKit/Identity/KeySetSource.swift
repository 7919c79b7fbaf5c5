public import Contracts
public import RPCKit

/// The keys of AuthService as another service knows them: fetched, kept, fetched again in time.
///
/// What was fetched last stays good when AuthService cannot be reached. A token that names an unknown
/// key makes it ask again, once for all callers that wait and never twice within a minute: otherwise
/// made-up names would turn every call into two.
public final class KeySetSource: KeySource {
  /// Gets the keys from where they are.
  public typealias Fetch = @Sendable () async throws -> KeySet

  /// The shortest pause between two fetches.
  public static let pauseMin = Duration.seconds(60)
  /// How old keys may grow before they are fetched anyway, so that withdrawn ones go.
  public static let ageMax = Duration.seconds(300)

  private struct State {
    var keys = KeySet([])
    var isLoaded = false
    var lastAttempt: MonotonicInstant?
    var isFetching = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let fetch: Fetch
  private let loop: any EventLoop
  private let logger: Logger
  private let state = Lock(State())

  /// Makes a source that has no keys yet; `run` gets them.
  ///
  /// `fetch` must end by itself in a few seconds.
  public init(loop: any EventLoop, logger: Logger, fetch: @escaping Fetch) {
    self.loop = loop
    self.logger = logger
    self.fetch = fetch
  }

  /// Makes a source of AuthService's keys.
  public convenience init(_ client: Auth_V1.KeysClient, loop: any EventLoop, logger: Logger) {
    self.init(loop: loop, logger: logger) {
      try KeySet(await client.getKeySet(.init(), timeout: .seconds(5)))
    }
  }

  /// The keys that were fetched last; none before the first fetch succeeds.
  public var keys: KeySet { state.withLock { $0.keys } }

  /// Whether there were keys ever; for readiness.
  public var isLoaded: Bool { state.withLock { $0.isLoaded } }

  /// Callers that wait for the fetch that is under way.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Fetches the keys and goes on doing so until the task is cancelled.
  public func run() async {
    while !Task.isCancelled {
      await fetchOnce()
      await loop.sleep(isLoaded ? Self.ageMax : .milliseconds(200))
    }
  }

  /// See `KeySource.refresh`.
  public func refresh() async {
    let isTooSoon = state.withLock { state in
      guard !state.isFetching, state.isLoaded, let last = state.lastAttempt else { return false }
      return last.duration(to: loop.preciseNow) < Self.pauseMin
    }
    if !isTooSoon { await fetchOnce() }
  }

  /// Fetches, or waits for the fetch that is under way.
  private func fetchOnce() async {
    await withCheckedContinuation { continuation in
      let isFirst = state.withLock { state in
        state.waiters.append(continuation)
        defer { state.isFetching = true }
        return !state.isFetching
      }
      guard isFirst else { return }
      // A task of its own, so that a caller who goes away does not take the answer from the others.
      // It ends with `fetch`.
      Task { await self.perform() }
    }
  }

  private func perform() async {
    var fetched: KeySet?
    do {
      let keys = try await fetch()
      // An empty set is a fault of whoever answered, and would lock everybody out.
      if keys.isEmpty {
        logger.warning("the fetched key set is empty; keeping the old keys")
      } else {
        fetched = keys
      }
    } catch {
      logger.warning("the key set could not be fetched", ["error": "\(error)"])
    }
    let waiters = state.withLock { [fetched] state in
      if let fetched {
        // The same set again stays the same one, so that tokens need not be looked at anew.
        if fetched != state.keys { state.keys = fetched }
        state.isLoaded = true
      }
      state.lastAttempt = loop.preciseNow
      state.isFetching = false
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
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
