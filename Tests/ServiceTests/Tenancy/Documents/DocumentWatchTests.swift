import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Watches of documents", .timeLimit(.minutes(5)))
struct DocumentWatchTests {
  /// An event as a test compares it.
  struct Seen: Hashable, Sendable {
    let kind: Tenancy_V1.DocumentEventKind
    var id = ""
    var json: String?
  }

  /// The next events that say something; heartbeats come when they like.
  private func next(
    _ count: Int,
    _ events: inout ResponseStream<Tenancy_V1.DocumentEvent>.AsyncIterator
  ) async throws -> [Tenancy_V1.DocumentEvent] {
    var found: [Tenancy_V1.DocumentEvent] = []
    while found.count < count, let event = try await events.next() {
      if event.kind != .heartbeat { found.append(event) }
    }
    return found
  }

  /// That the next events are these.
  private func expect(
    _ events: inout ResponseStream<Tenancy_V1.DocumentEvent>.AsyncIterator,
    _ expected: [Seen],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await seen(next(expected.count, &events))
    #expect(found == expected, sourceLocation: sourceLocation)
  }

  /// Why the events end, and the revision of the last one.
  private func ending(
    of events: inout ResponseStream<Tenancy_V1.DocumentEvent>.AsyncIterator
  ) async throws -> (error: RPCError?, last: String) {
    var last = ""
    do {
      while let event = try await events.next() { last = event.revision }
      return (nil, last)
    } catch let error as RPCError {
      return (error, last)
    }
  }

  private func seen(_ events: [Tenancy_V1.DocumentEvent]) -> [Seen] {
    events.map { Seen(kind: $0.kind, id: $0.documentId, json: $0.document?.json) }
  }

  @Test(
    "A watch begins with what there is, says when that was all, and continues with what happens"
  )
  func watch_tellsSnapshotThenChanges() async throws {
    try await TenancyStage.run { stage in
      let (ada, eve) = (stage.documents(of: "usr_ada"), stage.documents(of: "usr_eve"))
      try await ada.put("b", #"{"n":1}"#)
      try await ada.put("a", #"{"n":1}"#)
      try await ada.put("b", #"{"n":2}"#)
      try await eve.put("c")
      var events = ada.watch().makeAsyncIterator()
      try await expect(
        &events,
        [
          Seen(kind: .reset), Seen(kind: .put, id: "a", json: #"{"n":1}"#),
          Seen(kind: .put, id: "b", json: #"{"n":2}"#), Seen(kind: .current),
        ]
      )
      try await eve.put("c", #"{"n":5}"#)
      try await stage.documents(of: "usr_ada", in: "sessions").put("s")
      try await ada.put("d", #"{"n":3}"#)
      try await expect(
        &events,
        [Seen(kind: .put, id: "d", json: #"{"n":3}"#)]
      )
      try await ada.delete("a")
      try await expect(&events, [Seen(kind: .delete, id: "a")])
      try await ada.write([ada.putting("e"), ada.deleting("d"), ada.putting("f")])
      try await expect(
        &events,
        [
          Seen(kind: .put, id: "e", json: "{}"), Seen(kind: .delete, id: "d"),
          Seen(kind: .put, id: "f", json: "{}"),
        ]
      )
    }
  }

  @Test("A watch that comes back is told what it missed, each change once, and nothing else")
  func watch_resumed_tellsWhatWasMissed() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let first = try await ada.put("a", #"{"n":1}"#).revision
      try await ada.put("b", #"{"n":1}"#)
      try await ada.put("b", #"{"n":2}"#)
      try await ada.delete("a")
      var events = ada.watch(after: first).makeAsyncIterator()
      let found = try await next(4, &events)
      #expect(
        seen(found) == [
          // It has been changed again since, as the next one says.
          Seen(kind: .put, id: "b"), Seen(kind: .put, id: "b", json: #"{"n":2}"#),
          Seen(kind: .delete, id: "a"), Seen(kind: .current),
        ]
      )
      var again = ada.watch(after: found[3].revision).makeAsyncIterator()
      try await expect(&again, [Seen(kind: .current)])
    }
  }

  @Test("A watch that was cut off among the documents continues where it was")
  func watch_cutInSnapshot_continues() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      for id in ["a", "b", "c", "d"] { try await ada.put(id) }
      var events = ada.watch().makeAsyncIterator()
      let told = try await next(3, &events)
      #expect(told.map(\.documentId) == ["", "a", "b"])
      // Of what it was told, one changes and one goes.
      try await ada.put("a", #"{"n":2}"#)
      try await ada.delete("b")
      var rest = ada.watch(after: told[2].revision).makeAsyncIterator()
      try await expect(
        &rest,
        [
          Seen(kind: .put, id: "c", json: "{}"), Seen(kind: .put, id: "d", json: "{}"),
          Seen(kind: .put, id: "a", json: #"{"n":2}"#), Seen(kind: .delete, id: "b"),
          Seen(kind: .current),
        ]
      )
      var all = ada.watch(after: told[0].revision).makeAsyncIterator()
      // Everything that has ever been, and what has become of it.
      let first = try await next(1, &all).first
      #expect(first?.documentId == "a" && first?.document == nil)
    }
  }

  @Test(
    "Who comes back after what is kept begins anew, and so does who is ahead of a restored store"
  )
  func watch_afterTooLong_beginsAnew() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let old = try await ada.put("a").revision
      try await ada.put("b")
      stage.clock.advance(8 * 86_400_000)
      try await ada.put("c")
      try await stage.service.database.purgeOldRows(now: stage.clock.now)
      let future = stage.service.core.tokens.token(revision: 1_000_000)
      for revision in [old, future] {
        var events = ada.watch(after: revision).makeAsyncIterator()
        try await expect(
          &events,
          [
            Seen(kind: .reset), Seen(kind: .put, id: "a", json: "{}"),
            Seen(kind: .put, id: "b", json: "{}"), Seen(kind: .put, id: "c", json: "{}"),
            Seen(kind: .current),
          ]
        )
      }
      let forged = try await refusal { try await ada.watch(after: "AAAA").first { _ in true } }
      #expect(forged == Refusal(.invalidArgument, "REVISION_INVALID"))
    }
  }

  @Test("Documents of 200 KiB are told like small ones, also when they are many")
  func watch_ofLargeDocuments() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let json = #"{"t":"\#(String(repeating: "x", count: 200 << 10))"}"#
      for number in 0..<12 { try await ada.put("m\(number)", json) }
      var events = ada.watch().makeAsyncIterator()
      let found = try await next(14, &events)
      #expect(found.map(\.documentId) == [""] + (0..<12).map { "m\($0)" } + [""])
      #expect(found.dropFirst().dropLast().allSatisfy { $0.document?.json == json })
      #expect(found.last?.kind == .current)
    }
  }

  @Test("A user who is suspended is told nothing more")
  func watch_ofSuspended_ends() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      var events = ada.watch().makeAsyncIterator()
      _ = try await next(2, &events)
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_root"),
        options: .byService("auth")
      )
      _ = try await stage.subjects.suspend(.init(userId: "usr_ada"), options: .by("usr_root"))
      let error = try await ending(of: &events).error
      #expect(error.map { Refusal($0) } == Refusal(.permissionDenied, "SUBJECT_SUSPENDED"))
    }
  }

  @Test("Who takes no events is cut off with a reason, and nobody else notices")
  func watch_tooSlow_isCut() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let json = #"{"t":"\#(String(repeating: "x", count: 100 << 10))"}"#
      for number in 0..<8 { try await ada.put("large\(number)", json) }
      var slow = ada.watch().makeAsyncIterator()
      // Of 800 KB the stream takes 256 KiB before somebody reads; so the rest waits from here on.
      try await expect(&slow, [Seen(kind: .reset)])
      var quick = ada.watch().makeAsyncIterator()
      _ = try await next(10, &quick)
      var count = 0
      while count <= DocumentLimits.missedCountMax {
        let ids = (0..<500).map { "m\(count + $0)" }
        try await ada.write(ids.map { ada.putting($0) })
        let told = try await next(500, &quick).map(\.documentId)
        #expect(told == ids)
        count += 500
      }
      let (error, last) = try await ending(of: &slow)
      #expect(error.map { Refusal($0) } == Refusal(.resourceExhausted, "WATCH_TOO_SLOW"))
      #expect(error?.details.contains { $0.typeURL.hasSuffix("google.rpc.RetryInfo") } == true)
      try await ada.put("end")
      try await expect(&quick, [Seen(kind: .put, id: "end", json: "{}")])
      // It has lost nothing: what it was told last is where it continues.
      var resumed = ada.watch(after: last).makeAsyncIterator()
      var ids: Set<String> = []
      while let event = try await next(1, &resumed).first, event.kind != .current {
        #expect(ids.insert(event.documentId).inserted)
      }
      #expect(ids.isSuperset(of: (0..<count).map { "m\($0)" } + ["end"]))
    }
  }

  @Test("A thousand watchers that are cut at random see every change once and in order")
  func watchers_resumedAtRandom_seeEverything() async throws {
    let (userCount, watchersOfUser, changeCount) = (40, 25, 30)
    try await TenancyStage.run { stage in
      try await stage.withChannels(8) { channels in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for user in 0..<userCount {
            let ada = stage.documents(of: "usr_\(user)")
            for number in 0..<watchersOfUser {
              let watcher = RandomWatcher(
                user: ada.user,
                channel: channels[(user * watchersOfUser + number) % channels.count],
                seed: UInt64(user * watchersOfUser + number)
              )
              group.addTask {
                let seen = try await watcher.run(until: changeCount)
                #expect(seen == (0..<changeCount).map { "m\($0)" })
              }
            }
            group.addTask {
              for number in 0..<changeCount {
                _ = try await whileRefused { try await ada.put("m\(number)") }
              }
            }
          }
          for try await _ in group {}
        }
      }
    }
  }
}

/// A watcher of a user's moods that leaves now and then and comes back.
private struct RandomWatcher {
  let user: String
  let channel: Channel
  let seed: UInt64

  /// The documents that it was told of, in order, until they are `count`.
  func run(until count: Int) async throws -> [String] {
    var random = SeededGenerator(state: seed)
    var ids: [String] = []
    var position = ""
    while ids.count < count {
      let stream = Tenancy_V1.DocumentsClient(channel).watch(
        .init(collection: "moods", afterRevision: position),
        options: .watching(user)
      )
      var left = Int.random(in: 1...12, using: &random)
      do {
        for try await event in stream {
          if event.kind == .reset { #expect(ids.isEmpty) }
          if event.kind == .put { ids.append(event.documentId) }
          position = event.revision
          left -= 1
          if left == 0 || ids.count == count { break }
        }
      } catch let error as RPCError where error.code == .resourceExhausted {
        // As many as come at once here are refused now and then, and come back.
        await Task.yield()
      }
    }
    return ids
  }
}

/// What `call` returns, once the server is no longer overloaded.
private func whileRefused<Result: Sendable>(
  _ call: @Sendable () async throws -> Result
) async throws -> Result {
  while true {
    do {
      return try await call()
    } catch let error as RPCError where error.code == .resourceExhausted {
      await Task.yield()
    }
  }
}

extension DocumentClient {
  /// What happens in the collection.
  func watch(after revision: String = "") -> ResponseStream<Tenancy_V1.DocumentEvent> {
    calls.watch(
      .init(collection: collection, afterRevision: revision),
      options: .watching(user)
    )
  }
}

extension CallOptions {
  /// A call of a user that may take as long as it takes.
  static func watching(_ user: String) -> CallOptions {
    CallOptions(metadata: ["test-user": user, "test-acr": "pwd"])
  }
}
