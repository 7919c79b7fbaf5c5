import Foundation
import GatehouseKit
import Testing

@Suite struct LiveChangesTests {
  private static func event(_ kind: String, _ more: String = "", id: String) -> StreamPart {
    .bytes(Data("id: \(id)\nevent: \(kind)\ndata: {\"kind\": \"\(kind)\"\(more)}\n\n".utf8))
  }

  private static let place = "GET watch"

  /// Runs the kit with somebody signed in and the first stream open.
  private func running(
    _ stage: Stage,
    _ body: (ScriptedTransport.Stream) async throws -> Void
  )
    async throws
  {
    try await stage.signIn()
    let run = Task { await stage.gatehouse.run() }
    try await body(try await stream(stage, 0))
    run.cancel()
    await run.value
  }

  private func stream(_ stage: Stage, _ number: Int) async throws -> ScriptedTransport.Stream {
    #expect(await eventually { stage.transport.stream(Self.place, number) != nil })
    let stream = try #require(stage.transport.stream(Self.place, number))
    stream.yield(.head(HTTPAnswer(status: 200)))
    return stream
  }

  private func count(_ stage: Stage, _ place: String) -> Int {
    stage.transport.requests(place).count
  }

  @Test("A new stream has everything read again once it is current")
  func stream_new_readsAll() async throws {
    let stage = Stage()
    try await running(stage) { stream in
      let before = count(stage, "GET permissions")
      stream.yield(Self.event("current", id: "1"))
      #expect(await eventually { count(stage, "GET permissions") > before })
      #expect(await eventually { count(stage, "GET users/me") == 1 })
      for await connection in stage.gatehouse.live.connections where connection == .live { break }
    }
  }

  @Test("Changed rights no longer count, and are fetched again")
  func rights_changed_areFetched() async throws {
    let stage = Stage()
    try await running(stage) { stream in
      stream.yield(Self.event("current", id: "1"))
      #expect(await eventually { count(stage, "GET users/me") == 1 })
      #expect(await eventually { stage.gatehouse.rights.permission("view") == .allowed })
      stage.transport.on("GET permissions") { [time = stage.time] _ in
        .success(Stage.permissions(["other"], time), at: time.wall)
      }
      stream.yield(Self.event("rights", id: "2"))
      #expect(await eventually { stage.gatehouse.rights.permission("view") == .denied })
      #expect(stage.gatehouse.rights.permission("other") == .allowed)
    }
  }

  @Test("A reader that is slow gets nothing of the person before once the next has signed in")
  func events_ofThePersonBefore_areDropped() async throws {
    let stage = Stage()
    var events = stage.gatehouse.live.events.makeAsyncIterator()
    try await running(stage) { stream in
      stream.yield(Self.event("device", #", "objectId": "dev_1""#, id: "1"))
      stream.yield(Self.event("current", id: "2"))
      for await connection in stage.gatehouse.live.connections where connection == .live { break }
      let first = await events.next(isolation: #isolation)
      #expect(first?.objectId == "dev_1")
      stream.yield(Self.event("device", #", "objectId": "dev_2""#, id: "3"))
      stream.yield(Self.event("plan", id: "4"))
      #expect(await eventually { count(stage, "GET entitlements") == 2 })
      _ = try await stage.gatehouse.account.signOut()
      try await stage.signIn()
      let second = try await self.stream(stage, 1)
      second.yield(Self.event("device", #", "objectId": "dev_3""#, id: "5"))
      let last = await events.next(isolation: #isolation)
      #expect(last?.objectId == "dev_3")
    }
  }

  @Test("A stream that is cut continues after the last event, also with a newer token")
  func stream_cut_continues() async throws {
    let stage = Stage()
    try await running(stage) { stream in
      stream.yield(Self.event("current", id: "7"))
      #expect(await eventually { count(stage, "GET users/me") == 1 })
      stream.finish(throwing: URLError(.timedOut))
      // The pause before the next attempt, at most 1.2 s.
      #expect(await eventually { stage.time.sleeperCount >= 2 })
      stage.time.advance(by: 2)
      let second = try await self.stream(stage, 1)
      #expect(stage.transport.openings.last?.fields["last-event-id"] == "7")
      second.yield(
        .bytes(
          Data(
            """
            event: error
            data: {"status": "error", "details": \
            {"code": "UNAUTHENTICATED", "reason": "PROOF_ENDED"}}


            """.utf8
          )
        )
      )
      #expect(await eventually { count(stage, "POST auth/refresh") == 1 })
      #expect(
        await eventually {
          stage.time.advance(by: 1)
          return stage.transport.stream(Self.place, 2) != nil
        }
      )
      #expect(
        stage.transport.openings.last?.fields["authorization"] == "Bearer access-ada-1"
      )
      #expect(count(stage, "GET users/me") == 1)
    }
  }

  @Test("A session that was ended elsewhere is signed out by the stream, with nothing left")
  func session_revoked_signsOut() async throws {
    let stage = Stage()
    try await running(stage) { stream in
      stage.transport.on(
        "POST auth/refresh",
        .refusal(401, "UNAUTHENTICATED", "REFRESH_TOKEN_INVALID")
      )
      let end =
        #"{"status": "error", "details": {"code": "UNAUTHENTICATED", "reason": "PROOF_ENDED"}}"#
      stream.yield(.bytes(Data("event: error\ndata: \(end)\n\n".utf8)))
      #expect(await eventually { stage.gatehouse.account.state == .signedOut(.ended) })
      #expect(await eventually { stage.secrets.names.isEmpty && stage.cache.names.isEmpty })
    }
  }

  @Test("Signing out ends the stream; the next person's has no place of the former's")
  func signOut_endsStream() async throws {
    let stage = Stage()
    try await running(stage) { stream in
      stream.yield(Self.event("current", id: "7"))
      #expect(await eventually { count(stage, "GET users/me") == 1 })
      try await stage.gatehouse.account.signOut()
      try await stage.signIn("ben")
      #expect(
        await eventually {
          stage.time.advance(by: 1)
          return stage.transport.stream(Self.place, 1) != nil
        }
      )
      #expect(stage.transport.openings.last?.fields["last-event-id"] == nil)
      #expect(
        stage.transport.openings.last?.fields["authorization"] == "Bearer access-ben-0"
      )
    }
  }

  @Test("Rights are fetched anew before they end")
  func rights_nearTheirEnd_areFetched() async throws {
    let stage = Stage()
    try await running(stage) { _ in
      let before = count(stage, "GET permissions")
      #expect(await eventually { stage.time.sleeperCount >= 1 })
      stage.time.advance(by: 270)
      #expect(await eventually { count(stage, "GET permissions") > before })
      #expect(await eventually { stage.time.sleeperCount >= 1 })
      stage.time.advance(by: 40)
      #expect(stage.gatehouse.rights.permission("view") == .allowed)
    }
  }

  @Test("A refusal for want of rights has them fetched again")
  func call_denied_refetchesRights() async throws {
    let stage = Stage()
    try await stage.signIn()
    let before = count(stage, "GET permissions")
    stage.transport.on("GET thing", .refusal(403, "PERMISSION_DENIED", "ROLE_LACKS_ACTION"))
    let error = await #expect(throws: KitError.self) { try await stage.callThing() }
    #expect(error?.kind == .denied)
    #expect(await eventually { count(stage, "GET permissions") > before })
  }
}
