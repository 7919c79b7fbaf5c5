import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// The context of a call that was answered at once becomes that of the next one: never while anything has it.
@Suite("Server: contexts of calls that are used again", .teardown)
struct CallReuseTests {
  /// What a handler saw of its call, and left in it.
  private final class Notes {
    var contexts: [ObjectIdentifier] = []
    var metadata: [[String]] = []
    var kept: CallContext?
  }

  private final class Mark: Sendable {}

  private let fixture: ServerFixture
  private let peer: WirePeer
  private let notes = Notes()

  init() throws {
    fixture = try ServerFixture()
    peer = try fixture.connectExtended()
  }

  private func ask(_ stream: UInt32, metadata: [(String, String)] = []) throws {
    let call = WireFrame.call(stream, "Ask", .init(subject: "a"), metadata: metadata)
    #expect(try fixture.exchange(peer, call).count == 1)
  }

  private func note(_ call: CallContext) {
    notes.contexts.append(ObjectIdentifier(call))
    notes.metadata.append(call.metadata.entries.map { "\($0.key)=\($0.value)" })
  }

  @Test("Calls one after another share one, and each has its own metadata")
  func answeredAtOnce_isUsedAgain() throws {
    fixture.service.immediate = { [self] _, call in
      note(call)
      return .init(reason: "now")
    }
    try ask(1, metadata: [("name", "first")])
    try ask(3, metadata: [("name", "second")])
    try ask(5)
    #expect(Set(notes.contexts).count == 1)
    #expect(notes.metadata == [["name=first"], ["name=second"], []])
  }

  @Test("One that a handler has left somewhere stays what it was")
  func contextThatIsHeld_isNotUsedAgain() throws {
    fixture.service.immediate = { [self] _, call in
      note(call)
      if notes.kept == nil { notes.kept = call }
      return .init(reason: "now")
    }
    try ask(1, metadata: [("name", "first")])
    try ask(3, metadata: [("name", "second")])
    #expect(Set(notes.contexts).count == 2)
    #expect(notes.kept?.metadata["name"] == "first")
    #expect(notes.kept?.id.rawValue == 1)
    notes.kept = nil
  }

  @Test("One whose handler waits stays what it was")
  func contextOfATask_isNotUsedAgain() throws {
    fixture.service.immediate = { [self] request, call in
      note(call)
      return request.context == "hold" ? nil : .init(reason: "now")
    }
    peer.send(.call(1, "Ask", .init(subject: "a", context: "hold")))
    try fixture.simulation.settle()
    try ask(3)
    try ask(5)
    #expect(notes.contexts[0] != notes.contexts[1] && notes.contexts[1] == notes.contexts[2])
    fixture.service.release()
    try fixture.simulation.settle()
  }

  @Test("Nothing is left in it of the call before")
  func contextThatIsUsedAgain_isAsNew() throws {
    var described: [[String]] = []
    fixture.service.immediate = { [self] request, call in
      note(call)
      described.append(Self.description(of: call))
      guard request.context == "all" else { return .init(reason: "now") }
      call.identity = Mark()
      call.spanObject = Mark()
      call.responseMetadata.append("a", "b")
      call.responseTrailers.append("a", "b")
      call.compressesResponses = true
      call.malformedCode = .aborted
      call.isRequestCompressed = true
      _ = call.requestID { "r" }
      return .init(reason: "now")
    }
    let all = WireFrame.call(1, "Ask", .init(context: "all"), timeoutNanoseconds: 1_000_000_000)
    #expect(try fixture.exchange(peer, all).count == 1)
    try ask(3)
    let fresh = try fixture.connectExtended()
    #expect(try fixture.exchange(fresh, .call(3, "Ask", .init(subject: "a"))).count == 1)
    #expect(notes.contexts[0] == notes.contexts[1] && notes.contexts[1] != notes.contexts[2])
    #expect(described[1] == described[2])
  }

  /// Every stored property but the connection and the time, which are others in the comparison.
  private static func description(of call: CallContext) -> [String] {
    Mirror(reflecting: call).children.compactMap { child in
      let isOther = child.label == "connection" || child.label == "requestInstant"
      return isOther ? nil : "\(child.label ?? ""): \(child.value)"
    } + ["\(call.compressesResponses ?? false) \(call.metadataToSend)"]
  }

  @Test("A connection that has ended keeps none")
  func endedConnection_letsGo() throws {
    weak var context: CallContext?
    fixture.service.immediate = { _, call in
      context = call
      return .init(reason: "now")
    }
    try ask(1)
    #expect(context != nil)
    peer.close()
    try fixture.simulation.settle()
    #expect(context == nil)
  }
}
