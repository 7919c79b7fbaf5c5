internal import RPCKit
internal import ServiceKit

/// Has people told by mail of what events say about them.
///
/// The events are the queue: how far it has come is written after they were handed over, so a program that ends loses
/// no notice, and AuthService takes one that comes twice as one.
struct NoticeMailer: Sendable {
  static let feed = "notices"
  /// Events that are looked at together.
  private static let pageCount = 200
  /// How often it looks.
  private static let interval = Duration.seconds(1)
  /// The pause after an attempt that failed.
  private static let pause = Duration.seconds(10)
  /// Events that are older are no news, in milliseconds.
  static let ageMax: Int64 = 86_400_000

  let core: TenancyCore
  let settings: NoticeSettings
  let post: any NoticePost
  /// Whether a mail names what an entity of a type is in.
  let namesParent: @Sendable (String) -> Bool

  /// Hands over what comes, until the task is cancelled.
  func run(on loop: any EventLoop) async {
    while !Task.isCancelled {
      do {
        while try await advance() {}
        await loop.sleep(Self.interval)
      } catch is CancellationError {
        return
      } catch {
        core.logger.warning("a notice was not handed over; retrying", ["error": "\(error)"])
        await loop.sleep(Self.pause)
      }
    }
  }

  /// Hands over the notices of the next events; whether there may be more.
  func advance() async throws -> Bool {
    let (events, start) = try await core.database.read { tx -> ([Event], Int64?) in
      let start = try FeedPosition.find(Self.feed, in: tx)
      return (
        try start.map { try EventTable.list(after: $0, limit: Self.pageCount, in: tx) } ?? [],
        start
      )
    }
    guard start != nil else {
      // What happened before there were notices is no news.
      try await core.changeOwn { tx in
        try FeedPosition.put(try EventTable.newest(in: tx), of: Self.feed, in: tx)
      }
      return false
    }
    guard let last = events.last else { return false }
    var done = start ?? 0
    do {
      for event in events {
        try await handOver(event)
        done = event.sequence
      }
    } catch {
      try await note(done)
      throw error
    }
    try await note(last.sequence)
    return events.count == Self.pageCount
  }

  private func note(_ sequence: Int64) async throws {
    try await core.changeOwn { tx in try FeedPosition.put(sequence, of: Self.feed, in: tx) }
  }

  private func handOver(_ event: Event) async throws {
    guard event.recordedAt > core.clock.now - Self.ageMax, let notice = Notice(event, settings)
    else { return }
    do {
      try await post.take(try await named(notice))
    } catch let error as RPCError where error.code == .invalidArgument || error.code == .notFound {
      core.logger.warning(
        "a notice cannot be mailed",
        ["notice": .string(notice.id), "error": "\(error)"]
      )
    }
  }

  /// The notice with the names of what it is about, as they are now.
  private func named(_ notice: Notice) async throws -> Notice {
    var notice = notice
    switch notice.content {
    case .accessGiven(let object): notice.content = .accessGiven(try await named(object))
    case .accessEnded(let object): notice.content = .accessEnded(try await named(object))
    case .webhookFailing, .webhookPaused: break
    }
    return notice
  }

  private func named(_ object: Notice.AccessedObject) async throws -> Notice.AccessedObject {
    let namesParent = namesParent
    return try await core.database.read { tx in
      // What was deleted has no name any longer.
      guard let entity = try EntityTable.all([object.entityID], in: tx).first else {
        return object
      }
      var object = object
      object.name = entity.name
      if namesParent(object.type) {
        object.parentName = try EntityTable.all([entity.parentID], in: tx).first?.name ?? ""
      }
      return object
    }
  }
}
