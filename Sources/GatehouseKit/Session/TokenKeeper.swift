import Foundation
import Synchronization

/// Keeps the tokens of the signed-in person: one refresh for all who wait, saved before it is used.
actor TokenKeeper {
  /// Sends a refresh and answers with the new tokens and the server's clock.
  typealias Refresh = @Sendable (_ refreshToken: String, _ attempt: String) async throws -> Renewal

  struct Renewal: Sendable {
    var tokens: Tokens
    var serverTime: Date?
  }

  static let secretName = "session"

  private let stores: OrderedStores
  private let time: any Timekeeper
  private let refresh: Refresh
  private let changed: @Sendable (SessionState, Int, Int?) -> Void
  private let random: @Sendable () -> Double

  private(set) var state = SessionState.unknown
  private nonisolated let presentEpoch = Atomic(0)
  private var serial = 0
  /// How often the state was entered.
  private var changes = 0
  /// How many sessions are on their way to the store.
  private var beginning = 0
  /// The session that ended last, which may still be in a store that could not remove it.
  private var lastEnded: String?
  private var flight: Task<Void, any Error>?
  private var restoring: Task<SecretRead, any Error>?
  private var backoff = Backoff()

  init(
    stores: OrderedStores,
    time: any Timekeeper,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
    refresh: @escaping Refresh,
    changed: @escaping @Sendable (SessionState, Int, Int?) -> Void
  ) {
    self.stores = stores
    self.time = time
    self.random = random
    self.refresh = refresh
    self.changed = changed
  }

  /// Changed here alone, and read without a pause, in which it could become another.
  nonisolated var epoch: Int { presentEpoch.load(ordering: .acquiring) }

  private func beginEpoch() -> Int {
    flight?.cancel()
    flight = nil
    backoff.clear()
    return presentEpoch.add(1, ordering: .acquiringAndReleasing).newValue
  }

  private func enter(_ state: SessionState, _ arrival: Int? = nil) {
    self.state = state
    changes += 1
    changed(state, epoch, arrival)
  }

  private func hold(_ record: SessionRecord, remaining: Double, _ arrival: Int? = nil) {
    serial += 1
    let held = HeldSession(
      record: record,
      remaining: max(0, remaining),
      uptime: time.uptime,
      serial: serial
    )
    enter(.held(held), arrival)
  }

  // MARK: - The store

  /// Reads the store unless that is done; a store that cannot answer now leaves the state unknown.
  func restore() async {
    guard state.isUnknown else { return }
    let epoch = self.epoch
    let reading = restoring ?? stores.secret(Self.secretName)
    restoring = reading
    let read = (try? await reading.value) ?? .unavailable
    if restoring == reading { restoring = nil }
    guard state.isUnknown, self.epoch == epoch else { return }
    switch read {
    case .unavailable: return
    case .none: enter(.signedOut(.never))
    case .value(let data):
      guard let record = try? Wire.decode(SessionRecord.self, from: data) else {
        return enter(.signedOut(.never))
      }
      hold(record, remaining: record.remaining(at: time.wall))
    }
  }

  /// Reads the store once more: another process that has it may have signed in or out, or refreshed.
  func readAgain() async {
    guard !state.isUnknown else { return await restore() }
    let before = changes
    let read = try? await stores.secret(Self.secretName).value
    guard changes == before, beginning == 0, let read else { return }
    take(read, withContext: true)
  }

  /// Puts to use what the store has, which another process may have written.
  private func take(_ read: SecretRead, withContext: Bool) {
    switch (read, state) {
    case (.unavailable, _), (.none, .unknown), (.none, .signedOut): return
    case (.none, .held): end(.signedOut)
    case (.value(let data), _):
      guard var record = try? Wire.decode(SessionRecord.self, from: data) else { return }
      if case .held(let held) = state, held.record.userID == record.userID {
        // What was selected here counts here, until the store is read again.
        if !withContext { record.context = held.record.context }
        let isSame = held.record.hasTokens(of: record) && held.record.context == record.context
        guard !isSame else { return }
      } else {
        guard record.tokens.refreshToken != lastEnded else { return }
        _ = beginEpoch()
      }
      hold(record, remaining: record.remaining(at: time.wall))
    }
  }

  private func save(_ record: SessionRecord) -> Task<Void, any Error> {
    do {
      return stores.keepSecret(Self.secretName, try Wire.encode(record))
    } catch {
      return Task { throw error }
    }
  }

  // MARK: - Tokens for calls

  /// A token that has not ended, from one refresh for all who ask.
  func bearer() async throws -> Bearer {
    await restore()
    for _ in 0..<2 {
      let held = try heldSession()
      let now = time.uptime
      if now < held.refreshAt { return bearer(of: held) }
      if now < held.endsAt {
        // It is still good, so nobody waits.
        if flight == nil, now >= backoff.until { _ = startFlight() }
        return bearer(of: held)
      }
      try await join()
    }
    return bearer(of: try heldSession())
  }

  /// After a call with a token was refused: new tokens, unless there are newer ones already.
  func renew(after refused: Bearer) async throws {
    guard refused.epoch == epoch else { throw KitError.signedOut(.signedOut) }
    guard try heldSession().serial == refused.serial else { return }
    try await join()
  }

  /// Allows a refresh at once, for example when the network is back.
  func endPause() { backoff.clear() }

  private func heldSession() throws -> HeldSession {
    switch state {
    case .unknown: throw KitError(.storage)
    case .signedOut(let reason): throw KitError.signedOut(reason)
    case .held(let held): return held
    }
  }

  private func bearer(of held: HeldSession) -> Bearer {
    Bearer(
      token: held.record.tokens.accessToken,
      serial: held.serial,
      epoch: epoch,
      userID: held.record.userID
    )
  }

  private func join() async throws {
    if flight == nil, time.uptime < backoff.until {
      let pause = (backoff.until - time.uptime).inSeconds
      throw KitError(.offline, retryAfter: pause)
    }
    try await (flight ?? startFlight()).value
    try Task.checkCancellation()
  }

  // MARK: - The refresh

  /// Begins a refresh that is no child of a caller, so that cancelling one does not end it for others.
  private func startFlight() -> Task<Void, any Error> {
    let epoch = self.epoch
    let task = Task { try await self.fly(epoch) }
    flight = task
    return task
  }

  private func fly(_ epoch: Int) async throws {
    defer { if self.epoch == epoch { flight = nil } }
    do {
      try await renewTokens(epoch)
      backoff.clear()
    } catch {
      // Waiters of an older epoch are not told about the newer one's session.
      guard self.epoch == epoch else { throw KitError.signedOut(.signedOut) }
      let error = error as? KitError ?? KitError(.offline)
      if error.kind == .signedOut {
        end(error.reason == "SUBJECT_SUSPENDED" ? .suspended : .ended)
        throw KitError.signedOut(error.reason == "SUBJECT_SUSPENDED" ? .suspended : .ended)
      }
      backoff.fail(at: time.uptime, atLeast: error.retryAfter, random: random())
      throw error.kind == .storage
        ? error : KitError(.offline, reason: error.reason, retryAfter: error.retryAfter)
    }
  }

  /// Saves the attempt, sends it, saves the tokens, and only then puts them to use.
  ///
  /// Killed anywhere in between, the app repeats the attempt at its next start and gets the same refresh token. Another
  /// process with the same store sends the same attempt, or finds the tokens.
  private func renewTokens(_ epoch: Int) async throws {
    let old = try heldSession().record
    let own = SessionRecord.Attempt(name: RandomText.make(), begunAt: time.wall)
    let wall = time.wall
    let begun = try await change(epoch) { record in
      guard record.hasTokens(of: old), !record.isAttempted(at: wall) else { return false }
      record.attempt = own
      return true
    }
    guard begun.hasTokens(of: old), let attempt = begun.attempt else { return }
    let renewal: Renewal
    do {
      renewal = try await refresh(old.tokens.refreshToken, attempt.name)
    } catch let error as KitError where error.kind == .signedOut {
      // If another process is further on, this token had to be refused.
      guard try await change(epoch, { _ in false }).hasTokens(of: old) else { return }
      throw error
    }
    let now = time.wall
    try await change(epoch) { record in
      guard record.hasTokens(of: old) else { return false }
      record.tokens = renewal.tokens
      record.attempt = nil
      record.stamp(serverTime: renewal.serverTime, wall: now)
      return true
    }
  }

  /// Changes the session in the store, puts to use what the store has then, and answers with it.
  @discardableResult
  private func change(
    _ epoch: Int,
    _ change: @escaping @Sendable (inout SessionRecord) -> Bool
  ) async throws -> SessionRecord {
    try check(epoch)
    let userID = try heldSession().record.userID
    let task = stores.changeSecret(Self.secretName) { read in
      guard case .value(let data) = read else { return nil }
      var record = try Wire.decode(SessionRecord.self, from: data)
      guard record.userID == userID, change(&record) else { return nil }
      return try Wire.encode(record)
    }
    guard let read = try? await task.value, read != .unavailable else {
      try check(epoch)
      throw KitError(.storage)
    }
    try check(epoch)
    take(read, withContext: false)
    try check(epoch)
    guard case .value(let data) = read else { throw KitError(.storage) }
    return try Wire.decode(SessionRecord.self, from: data)
  }

  private func check(_ epoch: Int) throws {
    guard self.epoch == epoch else { throw KitError.signedOut(.signedOut) }
  }

  // MARK: - Beginning and ending

  /// Notes that a sign-in was begun; another one or a sign-out overtakes it.
  func beginSignIn() async -> Int {
    await restore()
    return epoch
  }

  /// Begins a session, which is saved before it is used, and answers with its epoch and the token of the one before.
  ///
  /// The one before ends first: calls and refreshes of it would be taken for those of the new one.
  func begin(
    userID: String,
    tokens: Tokens,
    serverTime: Date?,
    context: String?,
    arrival: Int,
    begunAt epoch: Int
  ) async throws -> (epoch: Int, replaced: Bearer?) {
    try check(epoch)
    let own: Int
    var replaced: Bearer?
    if case .held = state {
      replaced = end(.signedOut).bearer
      own = self.epoch
    } else {
      own = beginEpoch()
    }
    var record = SessionRecord(
      userID: userID,
      tokens: tokens,
      lifetime: 0,
      receivedAt: time.wall,
      clockOffset: 0,
      attempt: nil,
      context: context
    )
    record.stamp(serverTime: serverTime, wall: time.wall)
    beginning += 1
    defer { beginning -= 1 }
    do {
      try await save(record).value
    } catch {
      throw KitError(.storage)
    }
    try check(own)
    hold(record, remaining: record.lifetime, arrival)
    return (own, replaced)
  }

  /// Ends the session on this device; answers with its token, which the server is to forget.
  @discardableResult
  func end(_ reason: EndReason) -> (bearer: Bearer?, removal: Task<Void, any Error>) {
    var ended: SessionRecord?
    var bearer: Bearer?
    if case .held(let held) = state {
      bearer = self.bearer(of: held)
      ended = held.record
      lastEnded = held.record.tokens.refreshToken
    }
    _ = beginEpoch()
    let removal = stores.removeSecret(Self.secretName) { [ended] read in
      Self.isRemoved(read, by: ended, reason)
    }
    enter(.signedOut(reason))
    return (bearer, removal)
  }

  /// Whether the end of a session removes what the store has: not what another process has begun since.
  private static func isRemoved(
    _ read: SecretRead,
    by ended: SessionRecord?,
    _ reason: EndReason
  ) -> Bool {
    guard let ended, case .value(let data) = read,
      let record = try? Wire.decode(SessionRecord.self, from: data)
    else { return true }
    return reason == .signedOut
      ? record.userID == ended.userID
      : record.tokens.refreshToken == ended.tokens.refreshToken
  }

  /// Keeps the object that the person works in, with the session of an epoch.
  func select(_ context: String, of epoch: Int) async throws {
    try check(epoch)
    guard case .held(var held) = state else { throw KitError.signedOut(.never) }
    held.record.context = context
    enter(.held(held))
    try await change(epoch) { record in
      record.context = context
      return true
    }
  }
}
