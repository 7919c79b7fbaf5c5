import Foundation
import Synchronization

/// The stream of changes of an app: it drops and fetches again what the server says has changed.
public final class LiveChanges: Sendable {
  /// The state of the stream, for "connecting …" on a screen.
  public enum Connection: Hashable, Sendable {
    /// Nobody is signed in, or the app does not run the kit.
    case off
    /// Changes may be missing.
    case connecting
    /// Nothing is missing.
    case live
  }

  private struct Place {
    var epoch: Int
    var token: String
  }

  /// An event, and of whose session.
  private struct Told: Sendable {
    var epoch: Int
    var event: AppEvent
  }

  private static let silence = Duration.seconds(10)
  private static let readerBufferMax = 1000

  private let core: Core
  private let rights: Rights
  private let connection = Broadcast(Connection.off)
  private let readers = Mutex<[Int: AsyncStream<Told>.Continuation]>([:])
  private let nextReader = Atomic(0)
  private let place = Mutex<Place?>(nil)

  init(core: Core, rights: Rights) {
    self.core = core
    self.rights = rights
  }

  /// The present state of the stream at once, then each newer one.
  public var connections: AsyncStream<Connection> { connection.values }

  /// Every event from now on.
  ///
  /// A reader that falls 1,000 events behind loses the oldest, and what it has not read by the time that its person signs
  /// out: the next person on the device must not learn of it.
  public var events: some AsyncSequence<AppEvent, Never> & Sendable {
    everything.filter { [core] told in told.epoch == core.keeper.epoch }.map(\.event)
  }

  private var everything: AsyncStream<Told> {
    AsyncStream(bufferingPolicy: .bufferingNewest(Self.readerBufferMax)) { continuation in
      let number = nextReader.add(1, ordering: .relaxed).newValue
      readers.withLock { $0[number] = continuation }
      continuation.onTermination = { [weak self] _ in
        self?.readers.withLock { readers in _ = readers.removeValue(forKey: number) }
      }
    }
  }

  /// Keeps the stream open while somebody is signed in, until it is cancelled.
  func run() async {
    var pause = Backoff()
    while !Task.isCancelled {
      guard let scope = await signedInScope() else { break }
      connection.send(.connecting)
      do {
        try await core.whileSignedIn(scope.epoch) { [self] in try await watch(scope.epoch) }
        // A stream that ends before it was of use, as by a proxy, is not opened again without a pause.
        guard connection.value == .live else { throw KitError(.offline) }
        pause.clear()
      } catch {
        if connection.value == .live { pause.clear() }
        let delay = (error as? KitError)?.retryAfter
        let random = Double.random(in: 0...1)
        pause.fail(at: core.time.uptime, atLeast: delay, random: random)
      }
      connection.send(core.scope.withLock(\.userID) == nil ? .off : .connecting)
      try? await core.time.wait(until: pause.until)
    }
    connection.send(.off)
  }

  private func signedInScope() async -> Core.Scope? {
    for await scope in core.scopes.values where scope.userID != nil { return scope }
    return nil
  }

  /// Reads one stream to its end, which comes with the access token's: the next one continues.
  private func watch(_ epoch: Int) async throws {
    let bearer = try await core.keeper.bearer()
    guard bearer.epoch == epoch else { return }
    var call = Call(.get, "watch")
    call.silence = Self.silence
    call.fields["accept"] = "text/event-stream"
    let start = place.withLock { $0 }
    if let start, start.epoch == epoch { call.fields["last-event-id"] = start.token }
    let isContinued = call.fields["last-event-id"] != nil
    let parts = try core.client.stream(call, token: bearer.token)
    do {
      try await withThrowingDiscardingTaskGroup { group in
        var reader = EventReader()
        for try await bytes in parts {
          for event in try reader.events(after: bytes) {
            if event.type == "end" { return group.cancelAll() }
            if let work = try take(event, epoch, isContinued) { group.addTask(operation: work) }
          }
        }
      }
    } catch let error as KitError {
      if error.reason == "RESUME_TOKEN_INVALID" { place.withLock { $0 = nil } }
      guard Client.tokenReasons.contains(error.reason) else { throw error }
      try await core.keeper.renew(after: bearer)
    }
  }

  /// Notes an event, and answers with what is to be read again because of it.
  private func take(
    _ event: ServerEvent,
    _ epoch: Int,
    _ isContinued: Bool
  ) throws -> (@concurrent @Sendable () async -> Void)? {
    guard core.keeper.epoch == epoch else { throw CancellationError() }
    if event.type == "error" {
      throw ErrorEnvelope.error(of: HTTPAnswer(status: 200, body: event.data))
    }
    guard let change = try? Wire.decode(AppEvent.self, from: event.data) else { return nil }
    if !event.id.isEmpty { place.withLock { $0 = Place(epoch: epoch, token: event.id) } }
    let told = Told(epoch: epoch, event: change)
    for reader in readers.withLock({ Array($0.values) }) { reader.yield(told) }
    return work(of: change, isContinued)
  }

  private func work(
    of change: AppEvent,
    _ isContinued: Bool
  ) -> (@concurrent @Sendable () async -> Void)? {
    switch (change.kind, change.objectType) {
    case ("current", _):
      connection.send(.live)
      // A stream that continues brings what was missed; a new one does not.
      if isContinued { return nil }
      return { [self] in await readAll() }
    case ("rights", _), ("resync", "objects"):
      rights.expire(grants: true, plan: false)
      return { [rights] in _ = try? await rights.refreshGrants() }
    case ("plan", _), ("resync", "plan"):
      rights.expire(grants: false, plan: true)
      return { [rights] in
        _ = try? await rights.refreshPlan()
        // Features decide about actions as well.
        _ = try? await rights.refreshGrants()
      }
    case ("profile", _), ("resync", "profile"):
      return { [core] in _ = try? await core.refreshUser() }
    default: return nil
    }
  }

  private func readAll() async {
    _ = try? await core.refreshUser()
    _ = try? await rights.refresh()
  }
}
