internal import RPCKit
internal import ServiceKit

/// Where a key set is read from.
protocol KeySetOrigin: Sendable {
  /// How often it may be asked.
  var pace: ProviderKeys.Pace { get }

  /// The set as it is now, and how long it may be relied on, if the origin says so.
  ///
  /// Must end by itself in a few seconds.
  func read() async throws -> (json: [UInt8], lifetime: Duration?)
}

/// The keys of an identity provider: fetched when a token needs them, and kept.
///
/// What was fetched last stays good while the provider cannot be reached: its keys change every few weeks,
/// and signing in must not depend on its being up. A token with an unknown key makes it ask again, once for
/// all that wait. Between two questions there is a pause, whatever the first one brought, so that made-up
/// names of keys cannot turn this service against the provider.
final class ProviderKeys: Sendable {
  /// How often a key set is asked for.
  struct Pace: Sendable {
    /// Between the beginnings of two questions, at least.
    var pause: Duration
    /// How long a set may be relied on, whatever its origin says.
    var lifetime: ClosedRange<Duration>
    /// How long it is relied on when its origin says nothing.
    var usualLifetime: Duration
  }

  /// The answer about a key.
  enum Answer: Sendable {
    /// The key.
    case key(ProviderKey)
    /// The provider has no such key.
    case unknown
    /// The provider cannot be asked, and nothing that it said before answers this.
    case unavailable
  }

  /// The only question there is.
  private enum Question { case keys }

  private struct State {
    var keys: ProviderKeySet?
    /// When `keys` are asked for again.
    var end: MonotonicInstant?
    var lastQuestion: MonotonicInstant?
    var flights = Flights<Question, Void>(countMax: 1)
    var failureCount = 0
    /// Names of keys that the set did not have when it was fetched for them, and since when.
    var missing: [TokenKeyName: MonotonicInstant] = [:]
  }

  /// Names of missing keys that are remembered.
  private static let missingCountMax = 256
  /// How long they are: a provider may use a key before it publishes it.
  private static let missingLifetime = Duration.seconds(300)

  private let provider: String
  private let origin: any KeySetOrigin
  private let uptime: @Sendable () -> MonotonicInstant
  private let logger: Logger
  private let fetches: MetricFamily<Counter>
  private let state = Lock(State())

  /// Makes a source that has asked for nothing yet.
  init(
    of provider: String,
    _ origin: any KeySetOrigin,
    uptime: @escaping @Sendable () -> MonotonicInstant,
    logger: Logger,
    fetches: MetricFamily<Counter>
  ) {
    self.provider = provider
    self.origin = origin
    self.uptime = uptime
    self.logger = logger
    self.fetches = fetches
    for outcome in ["done", "failed"] { _ = fetches.series(provider, outcome) }
  }

  /// The key of a name; asks for newer keys if that may help, and waits for them.
  func key(_ name: TokenKeyName) async -> Answer {
    let flight = state.withLock { state in
      mustAsk(for: name, &state) ? state.flights.join(.keys) { await self.ask($0) } : nil
    }
    // One that fails says so itself, and leaves the last good keys in place.
    try? await flight?.value
    return state.withLock { state in
      if let key = state.keys?[name] { return .key(key) }
      guard state.keys != nil, state.failureCount == 0 else { return .unavailable }
      if state.keys?.contradicts(name) == true { return .unknown }
      if flight != nil { remember(name, &state) }
      // One that came during the pause was not asked for, and may exist.
      return state.missing[name] == nil ? .unavailable : .unknown
    }
  }

  /// Whether the answer is worth a question, or one that is under way; claims the question.
  private func mustAsk(for name: TokenKeyName, _ state: inout State) -> Bool {
    let now = uptime()
    let isFresh = state.end.map { now < $0 } ?? false
    if isFresh {
      if state.keys?[name] != nil || state.keys?.contradicts(name) == true { return false }
      if let since = state.missing[name] {
        if since.duration(to: now) < Self.missingLifetime { return false }
        state.missing[name] = nil
      }
    }
    guard state.flights.isEmpty else { return true }
    if let last = state.lastQuestion, last.duration(to: now) < origin.pace.pause { return false }
    state.lastQuestion = now
    return true
  }

  /// Remembers that the newest set does not have a key.
  private func remember(_ name: TokenKeyName, _ state: inout State) {
    if state.missing.count >= Self.missingCountMax { state.missing = [:] }
    if state.missing[name] == nil { state.missing[name] = uptime() }
  }

  private func ask(_ id: Flights<Question, Void>.ID) async {
    let outcome: Result<(keys: ProviderKeySet, lifetime: Duration?), any Error>
    do {
      let (json, lifetime) = try await origin.read()
      outcome = .success((try ProviderKeySet(json: json), lifetime))
    } catch {
      outcome = .failure(error)
    }
    let failureCount = state.withLock { state in
      state.flights.land(.keys, id)
      defer { accept(outcome, &state) }
      return state.failureCount
    }
    switch outcome {
    case .success:
      fetches.series(provider, "done").increment()
      if failureCount > 0 {
        logger.info("a provider's keys can be read again", ["provider": .string(provider)])
      }
    case .failure(let error):
      fetches.series(provider, "failed").increment()
      // One line when it begins to fail and one when it works again, not one for each attempt.
      guard failureCount == 0 else { return }
      logger.warning(
        "a provider's keys cannot be read; keeping those that were read last",
        ["provider": .string(provider), "error": .string("\(error)")]
      )
    }
  }

  private func accept(
    _ outcome: Result<(keys: ProviderKeySet, lifetime: Duration?), any Error>,
    _ state: inout State
  ) {
    switch outcome {
    case .failure: state.failureCount += 1
    case .success(let fetched):
      state.failureCount = 0
      state.keys = fetched.keys
      state.missing = state.missing.filter { fetched.keys[$0.key] == nil }
      let pace = origin.pace
      let lifetime = fetched.lifetime ?? pace.usualLifetime
      let bounded = min(max(lifetime, pace.lifetime.lowerBound), pace.lifetime.upperBound)
      state.end = uptime().advanced(by: bounded)
    }
  }
}

/// A key set in a file: looked at again at most every five seconds, as tokens come.
struct KeySetFile: KeySetOrigin {
  let path: String

  var pace: ProviderKeys.Pace {
    let interval = Duration.seconds(5)
    return .init(pause: interval, lifetime: interval...interval, usualLifetime: interval)
  }

  func read() async throws -> (json: [UInt8], lifetime: Duration?) {
    (try FileBytes.read(path, byteCountMax: ProviderKeySet.byteCountMax), nil)
  }
}
