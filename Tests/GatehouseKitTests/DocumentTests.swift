import Foundation
import GatehouseKit
import Testing

@Suite struct DocumentTests {
  struct Mood: Codable, Equatable, Sendable { var level: Int }

  private static let place = "GET documents/moods:watch"

  private static func line(_ kind: String, _ revision: String, _ level: Int? = nil) -> Data {
    let document = level.map {
      #", "document": {"id": "m\#($0)", "json": {"level": \#($0)}, "revision": "\#(revision)"}"#
    }
    let id = level.map { #", "documentId": "m\#($0)""# } ?? ""
    return Data(
      (#"{"data": {"kind": "DOCUMENT_EVENT_KIND_\#(kind)", "revision": "\#(revision)""#
        + id + (kind == "PUT" ? document ?? "" : "") + "}}\n").utf8
    )
  }

  private func open(_ stage: Stage, _ number: Int) async throws -> ScriptedTransport.Stream {
    #expect(await eventually { stage.transport.stream(Self.place, number) != nil })
    let stream = try #require(stage.transport.stream(Self.place, number))
    stream.yield(.head(HTTPAnswer(status: 200)))
    return stream
  }

  @Test("A live list shows whole lists, survives a cut, and continues after its last change")
  func live_cut_continues() async throws {
    let stage = Stage()
    try await stage.signIn()
    let moods = stage.gatehouse.documents.collection("moods", as: Mood.self)
    var lists = moods.live().makeAsyncIterator()
    let first = try await open(stage, 0)
    var bytes = Self.line("RESET", "r0") + Self.line("PUT", "r1", 3) + Self.line("PUT", "r2", 4)
    bytes += Self.line("CURRENT", "r2")
    // Bit by bit: a piece may end anywhere.
    for byte in bytes { first.yield(.bytes(Data([byte]))) }
    let list = try await lists.next()
    #expect(list?.isCurrent == true)
    #expect(list?.documents.map(\.content.level) == [3, 4])
    first.finish(throwing: URLError(.networkConnectionLost))
    let marked = try await lists.next()
    #expect(marked?.isCurrent == false)
    #expect(marked?.documents.count == 2)
    #expect(await eventually { stage.time.sleeperCount == 1 })
    stage.time.advance(by: 2)
    let second = try await open(stage, 1)
    #expect(stage.transport.openings.last?.url.query == "afterRevision=r2")
    second.yield(.bytes(Self.line("DELETE", "r3", 3) + Self.line("CURRENT", "r3")))
    #expect(try await lists.next()?.documents.map(\.id) == ["m4"])
  }

  @Test("Signing out ends a live list")
  func live_signOut_ends() async throws {
    let stage = Stage()
    try await stage.signIn()
    let moods = stage.gatehouse.documents.collection("moods", as: Mood.self)
    var lists = moods.live().makeAsyncIterator()
    let stream = try await open(stage, 0)
    stream.yield(.bytes(Self.line("RESET", "r0") + Self.line("CURRENT", "r0")))
    #expect(try await lists.next()?.isCurrent == true)
    try await stage.gatehouse.account.signOut()
    #expect(try await lists.next() == nil)
  }

  @Test("A line that never ends is refused")
  func live_endlessLine_isRefused() async throws {
    let stage = Stage()
    try await stage.signIn()
    let moods = stage.gatehouse.documents.collection("moods", as: Mood.self)
    let reading = Task { for try await _ in moods.live() {} }
    let stream = try await open(stage, 0)
    stream.yield(.bytes(Data(repeating: 0x61, count: 1 << 20 + 1)))
    #expect(await eventually { stage.time.sleeperCount == 1 })
    reading.cancel()
    _ = await reading.result
  }

  @Test("A change that was overtaken is a conflict")
  func put_overtaken_isConflict() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.transport.on("PUT documents/moods/m 1", .refusal(409, "ABORTED", "REVISION_MISMATCH"))
    let moods = stage.gatehouse.documents.collection("moods", as: Mood.self)
    let error = await #expect(throws: KitError.self) {
      try await moods.put("m 1", Mood(level: 1), ifRevision: "a=b")
    }
    #expect(error?.kind == .conflict)
    let url = stage.transport.requests("PUT documents/moods/m 1").last?.url.absoluteString
    #expect(url?.hasSuffix("/documents/moods/m%201?expectedRevision=a%3Db") == true)
  }
}
