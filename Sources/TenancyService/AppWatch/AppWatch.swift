internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// The events of one watching app, read from the changes of the store when the app takes them.
struct AppWatch: WatchSource {
  typealias Batch = WatchBatch<Tenancy_V1.AppEvent, AppWatchPosition>

  let core: TenancyCore
  let reader: AppReader
  let watchers: AppWatchers
  let watcher: AppWatcher
  let meter: AppWatchMeter

  /// The changes that concern the reader after a position.
  private struct Found {
    var changes: [Change] = []
    /// Up to where all are among them.
    var revision: Int64
    /// Some are no longer known.
    var isCut = false
    /// There will be no more.
    var hasEnded = false
  }

  /// Throws once the user is suspended: a right that has ended shows nothing.
  func events(after position: AppWatchPosition) async throws -> Batch? {
    try core.requireNotSuspended(reader.user)
    var position = position
    // Watchers hear of a commit before it is published: one that has heard of none up to here has none.
    let newest = core.database.revision
    position.version = watcher.look()
    // The store was restored to a time before.
    guard position.revision <= newest else { return resync(position, at: newest) }
    let relayed = try await relayedEvents(&position)
    guard relayed.isEmpty else { return Batch(relayed, position: position) }
    if let event = try await addressEvent(position) { return Batch([event], position: position) }
    guard watcher.isConcerned(after: position.revision) else {
      position.revision = max(position.revision, newest)
      return current(position)
    }
    let places = try await core.retrying { try watchers.locate(watcher) }
    while true {
      let found = try await changes(after: position.revision, places)
      guard !found.isCut else { return resync(position, at: found.revision) }
      guard !found.changes.isEmpty else {
        position.revision = found.revision
        return found.hasEnded ? nil : current(position)
      }
      let batch = try await told(found, position)
      guard batch.events.isEmpty else { return batch }
      // None of them was for this reader.
      position = batch.position
    }
  }

  func heartbeat(at position: AppWatchPosition) -> Tenancy_V1.AppEvent {
    event(.heartbeat, position)
  }

  func waitForNews(after position: AppWatchPosition) async {
    guard watcher.isConcerned(after: position.revision) else {
      return await watcher.wait(past: position.version)
    }
    // It has heard of a commit that is about to be published.
    await core.database.waitForChange(after: position.revision)
  }

  /// The first changes after a position that may concern the reader, and where they end.
  private func changes(after start: Int64, _ places: Forest.Places) async throws -> Found {
    var found = Found(revision: start)
    while found.changes.count < AppWatchLimits.changeCountMax {
      let poll = try await core.database.poll(
        after: found.revision,
        lagCountMax: AppWatchLimits.lagCountMax
      )
      switch poll {
      case .changes(let changes):
        found.changes += changes.filter {
          reader.isConcerned(by: $0, places, invitations: invitations)
        }
        found.revision = changes.last?.revision ?? found.revision
      case .resync(let newest):
        (found.revision, found.isCut) = (newest, true)
        return found
      case .ended:
        found.hasEnded = true
        return found
      case .nothing: return found
      }
    }
    return found
  }

  /// Looks whether the user is invited by another address than it was, and tells of that.
  private func addressEvent(_ position: AppWatchPosition) async throws -> Tenancy_V1.AppEvent? {
    guard reader.isWanted(.invitation) else { return nil }
    let answer = try await reader.mailbox.update(on: watcher.call.loop)
    guard answer != .same else { return nil }
    watchers.locate(watcher, invitations: invitations)
    // Those for the first one are what the app reads in the beginning.
    return answer == .first ? nil : event(.invitation, position)
  }

  /// The scope of invitations for the user.
  private var invitations: String? {
    reader.mailbox.address.map { InvitationTable.scope(of: $0) }
  }

  /// The changes of other services since a position, which moves past them.
  private func relayedEvents(
    _ position: inout AppWatchPosition
  ) async throws -> [Tenancy_V1.AppEvent] {
    guard let (items, end) = watchers.relayed.items(after: position.relayed) else {
      let old = position
      position.relayed = watchers.relayed.end
      reader.mailbox.forget()
      let parts = RelayedNews.Part.allCases.filter { reader.isWanted($0.kind) }
      if !parts.isEmpty { meter.resyncs.increment() }
      // An app that is cut off among them gets all of them again.
      return parts.map { resync($0.rawValue, $0 == parts.last ? position : old) }
    }
    guard !items.isEmpty else { return [] }
    if items.contains(.profile(reader.user.userID)) || items.contains(.all(.profile)) {
      reader.mailbox.forget()
    }
    var events: [Tenancy_V1.AppEvent] = []
    let first = position.relayed.next
    for (index, event) in try await reader.events(of: items) {
      position.relayed.next = first + Int64(index) + 1
      var event = event
      event.resumeToken = token(position)
      events.append(event)
    }
    position.relayed = end
    return events
  }

  private func told(_ found: Found, _ position: AppWatchPosition) async throws -> Batch {
    var position = position
    let told = try await reader.events(of: found.changes, sent: position.sent)
    var events = told.events
    // In the token of each: what follows it may be known from it.
    position.seen = max(position.seen, told.seen)
    let past = told.isCut ? told.through : found.revision
    for index in events.indices {
      position.revision = told.revisions[index]
      events[index].resumeToken = token(position)
    }
    position.revision = past
    position.sent.add(events, reflecting: told.seen, position: past)
    return Batch(events, position: position)
  }

  /// Says once that nothing is left to send.
  private func current(_ position: AppWatchPosition) -> Batch {
    guard !position.isCurrent else { return Batch([], position: position) }
    var position = position
    position.isCurrent = true
    return Batch([event(.current, position)], position: position)
  }

  private func resync(_ position: AppWatchPosition, at newest: Int64) -> Batch {
    meter.resyncs.increment()
    var position = position
    (position.revision, position.seen) = (newest, newest)
    position.sent = SentObjects(reflecting: newest)
    return Batch([resync("objects", position)], position: position)
  }

  private func resync(_ part: String, _ position: AppWatchPosition) -> Tenancy_V1.AppEvent {
    var event = event(.resync, position)
    event.objectType = part
    return event
  }

  private func event(
    _ kind: Tenancy_V1.AppEventKind,
    _ position: AppWatchPosition
  ) -> Tenancy_V1.AppEvent {
    Tenancy_V1.AppEvent(kind: kind, resumeToken: token(position))
  }

  private func token(_ position: AppWatchPosition) -> String {
    position.token(of: reader.user, core.tokens)
  }
}
