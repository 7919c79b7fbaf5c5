import TestingContracts
import RPCKitTesting

@testable import RPCKit

/// A second wire: messages handed over in memory, without frames, bytes on the way or a transport.
///
/// Its calls run on the first loop of a fixture's server, beside those that come in frames.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class MemoryWire: CallHost, CallWire, @unchecked Sendable {
  typealias Request = ScriptedService.Request
  typealias Response = ScriptedService.Response

  /// What a client got for a call.
  struct Answer {
    var reasons: [String] = []
    var metadata = Metadata()
    /// Nil while the call is open.
    var code: StatusCode?
  }

  private let fixture: ServerFixture
  private var calls: [CallID: CallContext] = [:]
  private var answers: [CallID: Answer] = [:]
  /// Messages that the clients of calls have room for; without an entry, any number.
  private var room: [CallID: Int] = [:]
  private var lastID: UInt32 = 0
  /// What messages cost that were received and not consumed.
  private(set) var unconsumedByteCount = 0
  /// Largest message that this wire takes, in bytes.
  var messageByteCountMax = Int.max

  init(_ fixture: ServerFixture) {
    self.fixture = fixture
    super.init(
      loop: fixture.loop,
      peer: Peer(address: "memory"),
      core: fixture.server.core,
      resources: fixture.server.resources[0]
    )
  }

  /// Calls that are open.
  var openCallCount: Int { calls.count }

  /// What came back so far.
  subscript(id: CallID) -> Answer { answers[id] ?? Answer() }

  // MARK: - The client's side

  /// Begins a call; without a request it is a stream of requests that goes on.
  func call(
    _ method: String,
    _ request: Request? = nil,
    metadata: [(String, String)] = [],
    deadline: MonotonicInstant = .distantFuture,
    room: Int? = nil
  ) throws -> CallID {
    let bound = core.methods.methods.first { $0.descriptor.method == method }
    guard let bound else { throw RPCError(.unimplemented, "method \(method)") }
    lastID += 1
    let id = CallID(rawValue: lastID)
    self.room[id] = room
    let bytes = request?.protobufBytes ?? []
    fixture.simulation.on(fixture.loop) {
      if let refusal = admit(bound, requestByteCount: bytes.count) {
        answers[id] = Answer(code: refusal.code)
        return
      }
      var received = Metadata()
      for (key, value) in metadata { received.append(key, value) }
      let facts = CallFacts(
        id: id,
        metadata: received,
        requestByteCount: bytes.count,
        deadline: deadline,
        received: loop.now
      )
      let call = CallContext(bound, over: self, facts)
      calls[id] = call
      answers[id] = Answer()
      guard call.begin() else { return }
      if let error = bound.start(bytes.span, request != nil, call) { return call.reject(error) }
      if request != nil { call.inbound?.finish(nil) }
    }
    return id
  }

  /// Sends one more request of a stream.
  func send(_ request: Request, to id: CallID) {
    fixture.simulation.on(fixture.loop) {
      guard let call = calls[id], let inbound = call.inbound else { return }
      let bytes = request.protobufBytes
      unconsumedByteCount += bytes.count
      let error = inbound.receive(
        bytes.span,
        cost: bytes.count,
        isCompressed: false,
        inflation: nil
      )
      if let error { call.fail(error) }
    }
  }

  /// Ends a stream of requests.
  func finish(_ id: CallID) {
    fixture.simulation.on(fixture.loop) { _ = calls[id]?.inbound?.finish(nil) }
  }

  /// Gives a call up.
  func cancel(_ id: CallID) {
    fixture.simulation.on(fixture.loop) {
      calls.removeValue(forKey: id)?.cancel(RPCError(.cancelled, "cancelled"))
    }
  }

  /// Makes room for more messages of a call's stream of responses.
  func makeRoom(_ count: Int, for id: CallID) {
    fixture.simulation.on(fixture.loop) {
      room[id, default: 0] += count
      calls[id]?.wakeWriter()
    }
  }

  // MARK: - The calls' side

  func forget(_ call: CallContext) -> Bool { calls.removeValue(forKey: call.id) != nil }

  func respond(to call: CallContext, _ append: MessageAppending) throws(RPCError) {
    try take(append, for: call)
    end(call, .ok, call.metadataToSend)
  }

  func encoding(for call: CallContext) -> AnswerEncoding { AnswerEncoding() }

  func respond(to call: CallContext, _ message: EncodedMessage) throws(RPCError) {
    try take(message.bytes, for: call)
    end(call, .ok, call.metadataToSend)
  }

  func send(for call: CallContext, _ message: EncodedMessage) throws(RPCError) {
    try take(message.bytes, for: call)
    if let left = room[call.id] { room[call.id] = left - 1 }
  }

  func inflatedElsewhere(_ byteCount: Int, of call: CallContext) {}

  func endResponses(of call: CallContext) { end(call, .ok, call.metadataToSend) }

  func fail(_ call: CallContext, _ error: RPCError, _ metadata: Metadata) {
    end(call, error.code, metadata)
  }

  func send(for call: CallContext, _ append: MessageAppending) throws(RPCError) {
    try take(append, for: call)
    if let left = room[call.id] { room[call.id] = left - 1 }
  }

  func maySend(_ call: CallContext) -> Bool { room[call.id] != 0 }

  func writerWaits(_ call: CallContext) {}

  func consumed(_ cost: Int, of call: CallContext) { unconsumedByteCount -= cost }

  func dropped(_ cost: Int) { unconsumedByteCount -= cost }

  func timerFired(_ token: UInt64) {
    calls[CallID(rawValue: UInt32(token))]?.deadlinePassed()
  }

  private func take(_ append: MessageAppending, for call: CallContext) throws(RPCError) {
    var buffer = ByteBuffer()
    append(&buffer) { _, _ in }
    try take(buffer.withBytes { [UInt8]($0) }, for: call)
  }

  private func take(_ bytes: [UInt8], for call: CallContext) throws(RPCError) {
    guard bytes.count <= messageByteCountMax else {
      throw RPCError(.resourceExhausted, "too large")
    }
    // What a handler answers is a message; a test that sees none fails by what is missing.
    guard let response = try? Response(protobuf: bytes.span, limits: limits.message) else { return }
    answers[call.id]?.reasons.append(response.reason)
  }

  private func end(_ call: CallContext, _ code: StatusCode, _ metadata: Metadata) {
    answers[call.id]?.code = code
    answers[call.id]?.metadata = metadata
  }
}
