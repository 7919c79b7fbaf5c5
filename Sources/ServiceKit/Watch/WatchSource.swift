package import RPCKit

/// The source of pushed events, and the one loop that sends them.
///
/// The source holds no queue for each watcher, only their positions: a slow one takes no memory, and
/// what it misses is found when it asks for it.
package protocol WatchSource: Sendable {
  /// A message of the stream.
  associatedtype Event: Message & Sendable
  /// The position of a watcher.
  associatedtype Position: Sendable

  /// The events after a position, in order: a part of them if they are many, none if there are none,
  /// nil if there will never be.
  ///
  /// Does not wait. The position that it returns may move past changes that watchers need not hear
  /// of. Throws when the changes cannot be read, which ends the stream.
  func events(after position: Position) async throws -> WatchBatch<Event, Position>?

  /// A sign of life that moves nobody past what they got.
  func heartbeat(at position: Position) -> Event

  /// Returns when something may have come after a position, and early when the task is cancelled.
  func waitForNews(after position: Position) async
}

/// Events of one position after another.
package struct WatchBatch<Event: Sendable, Position: Sendable>: Sendable {
  /// The events, in order.
  package var events: [Event]
  /// The position of a watcher that got all of them.
  package var position: Position

  /// Makes a batch.
  package init(_ events: [Event], position: Position) {
    self.events = events
    self.position = position
  }
}

extension WatchSource {
  /// Sends everything after a position; returns where that ends, nil if there will never be more.
  ///
  /// Throws what the writer throws when the call is over, and what `events` throws.
  package func catchUp(
    after start: Position,
    to writer: ResponseWriter<Event>
  ) async throws -> Position? {
    var position = start
    while let batch = try await events(after: position) {
      for event in batch.events { try await writer.write(event) }
      position = batch.position
      if batch.events.isEmpty { return position }
    }
    return nil
  }

  /// Tells of everything after a position as it happens, until the source ends.
  ///
  /// A heartbeat follows whenever nothing was sent for `heartbeatInterval`, on the clock of the
  /// call's loop, whatever else is going on: watchers take a longer silence for a dead stream. The
  /// call counts as waiting in the meantime. Throws `CancellationError` when the task is cancelled, and as
  /// `catchUp` does.
  package func tell(
    after start: Position,
    heartbeatInterval: Duration,
    on call: CallContext,
    to writer: ResponseWriter<Event>
  ) async throws {
    let loop = call.loop
    var position = start
    var lastTold = loop.preciseNow
    while let batch = try await events(after: position) {
      for event in batch.events { try await writer.write(event) }
      // Not before: anyone who is cut off in between must come back for the rest.
      position = batch.position
      guard batch.events.isEmpty else {
        lastTold = loop.preciseNow
        continue
      }
      let rest = heartbeatInterval - lastTold.duration(to: loop.preciseNow)
      let seen = position
      let foundNews = await call.waiting { await hasNews(after: seen, within: rest, on: loop) }
      try Task.checkCancellation()
      guard !foundNews else { continue }
      try await writer.write(heartbeat(at: position))
      lastTold = loop.preciseNow
    }
  }

  private func hasNews(
    after position: Position,
    within span: Duration,
    on loop: any EventLoop
  ) async -> Bool {
    guard span > .zero else { return false }
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await self.waitForNews(after: position)
        return true
      }
      group.addTask {
        await loop.sleep(span)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }
}
