import Synchronization
import Testing

@testable import RPCKit

@Suite("A unary call", .teardown)
struct UnaryConversationTests {
  @Test("says HELLO first, then sends one Request with the number 1")
  func firstCall_sendsHelloThenRequest() {
    let stage = ClientStage()
    let call = stage.call("hi")
    let frames = stage.peer.frames()
    #expect(frames.map(\.type) == [.hello, .request])
    #expect(frames[0].header.streamID == .connection)
    #expect(frames[1].id == 1 && frames[1].flags == 0)
    #expect(frames[1].requestText == "hi")
    #expect(frames[1].request?.timeoutNanoseconds == 0)
    #expect(!call.isOver)
  }

  @Test("returns the response of a stock server, and of one that says HELLO")
  func response_isReturned() {
    for speaksHello in [true, false] {
      let stage = ClientStage()
      let call = stage.call("hi")
      stage.play { peer in
        if speaksHello { peer.hello() }
        peer.respond(1, "there")
      }
      #expect(call.value == "there")
    }
  }

  @Test("takes an empty Response for an empty message")
  func emptyResponse_isAnEmptyMessage() {
    let stage = ClientStage()
    let call = stage.call()
    stage.play { $0.send(.response, 1) }
    #expect(call.value == "")
  }

  @Test("throws the server's status with its details, metadata and whether it was processed")
  func errorResponse_isThrown() {
    let stage = ClientStage()
    let call = stage.call()
    stage.play { peer in
      peer.respond(
        1,
        RPCError(
          .notFound,
          "no such thing",
          details: [.init(typeURL: "type.googleapis.com/a.B", value: [1, 2])],
          metadata: ["reason": "gone"],
          isNotProcessed: true
        )
      )
    }
    #expect(call.error?.code == .notFound)
    #expect(call.error?.message == "no such thing")
    #expect(call.error?.details == [.init(typeURL: "type.googleapis.com/a.B", value: [1, 2])])
    #expect(call.error?.metadata["reason"] == "gone")
    #expect(call.error?.isNotProcessed == true)
  }

  @Test("returns the metadata of a response to who asks for it")
  func responseMetadata_isReturned() {
    let stage = ClientStage()
    let call = stage.start { channel in
      let response: UnaryResponse<BytesMessage> = try await channel.unaryWithMetadata(
        .test(),
        BytesMessage("hi"),
        options: CallOptions()
      )
      return response.metadata["server"] ?? ""
    }
    stage.play { $0.respond(1, "x", metadata: ["server": "seven"]) }
    #expect(call.value == "seven")
  }

  @Test("sends the channel's metadata, its own, and the trace of the call being served")
  func metadata_isSentInOrder() {
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    let stage = ClientStage { $0.metadata = ["caller": "gateway"] }
    let call = stage.start { channel in
      try await CallScope.with(traceparent: trace, tracestate: "vendor=1") {
        let _: BytesMessage = try await channel.unary(
          .test(),
          BytesMessage("hi"),
          options: CallOptions(metadata: ["user": "ada"])
        )
      }
    }
    let metadata = stage.peer.calls()[0].metadata
    #expect(metadata.entries.map(\.key) == ["caller", "user", "traceparent", "tracestate"])
    #expect(metadata["traceparent"] == trace && metadata["tracestate"] == "vendor=1")
    stage.play { $0.respond(1, "") }
    #expect(call.isOver)
  }

  @Test("passes on neither a trace that is not valid nor what came with it")
  func invalidTrace_isNotSent() {
    let stage = ClientStage()
    let call = stage.start { channel in
      try await CallScope.with(traceparent: "00-1", tracestate: "vendor=1") {
        let _: BytesMessage = try await channel.unary(
          .test(),
          BytesMessage("hi"),
          options: CallOptions()
        )
      }
    }
    #expect(stage.peer.calls()[0].metadata.isEmpty)
    stage.play { $0.respond(1, "") }
    #expect(call.isOver)
  }

  @Test("is INTERNAL when the envelope or the message cannot be decoded, and the next one works")
  func undecodableResponse_isInternal() {
    let stage = ClientStage()
    let first = stage.call()
    stage.play { $0.send(.response, 1, [0xFF, 0xFF]) }
    #expect(first.error?.code == .internal)
    let second = stage.call()
    stage.play { $0.send(.response, 3, [0x12, 0x01, 0xFF]) }
    #expect(second.error?.code == .internal)
    let third = stage.call()
    stage.play { $0.respond(5, "fine") }
    #expect(third.value == "fine")
  }

  @Test("gets its own answer when the server answers in another order")
  func responsesOutOfOrder_reachTheirCalls() {
    let stage = ClientStage()
    let calls = (0..<20).map { stage.call("\($0)") }
    stage.play { peer in
      for index in [7, 19, 0, 3] + (0..<20).filter({ ![7, 19, 0, 3].contains($0) }) {
        peer.respond(UInt32(index * 2 + 1), "answer \(index)")
      }
    }
    #expect(calls.enumerated().allSatisfy { $1.value == "answer \($0)" })
  }

  @Test("is put together from bytes that drip in one at a time")
  func responseInPieces_isReturned() {
    let stage = ClientStage()
    let call = stage.call()
    let bytes: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 1, 2, 0, 0x12, 2, 0x6f, 0x6b]
    for byte in bytes.dropLast() {
      stage.play { $0.send { $0.append(byte) } }
      #expect(!call.isOver)
    }
    stage.play { $0.send { $0.append(0x6b) } }
    #expect(call.value == "ok")
  }

  @Test("that is cancelled ends at once, sends CANCEL, and ignores the late answer")
  func cancelledCall_endsAndSendsCancel() {
    let stage = ClientStage()
    let call = stage.call()
    _ = stage.peer.frames()
    call.cancel()
    stage.loop.run()
    #expect(call.error?.code == .cancelled)
    let frames = stage.peer.frames()
    #expect(frames.map(\.type) == [.cancel] && frames[0].id == 1)
    stage.play { $0.respond(1, "late") }
    let next = stage.call()
    stage.play { $0.respond(3, "on time") }
    #expect(next.value == "on time")
  }

  @Test("of a cancelled task is never sent")
  func callOfCancelledTask_isNotSent() {
    let stage = ClientStage()
    let warm = stage.call()
    stage.play { $0.respond(1, "") }
    #expect(warm.isOver)
    _ = stage.peer.frames()
    let call = stage.start { channel in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      let _: BytesMessage = try await channel.unary(
        .test(),
        BytesMessage("hi"),
        options: CallOptions()
      )
    }
    #expect(call.error?.code == .cancelled)
    #expect(stage.peer.frames().isEmpty)
  }

  @Test("sends its time left and ends by its own clock, with CANCEL")
  func deadline_passes_endsTheCall() {
    let stage = ClientStage()
    let call = stage.call("hi", .test(), CallOptions(timeout: .milliseconds(250)))
    #expect(stage.peer.calls()[0].request?.timeoutNanoseconds == 250_000_000)
    stage.loop.advance(by: .milliseconds(249))
    #expect(!call.isOver)
    stage.loop.advance(by: .milliseconds(1))
    #expect(call.error?.code == .deadlineExceeded)
    #expect(stage.peer.frames().map(\.type) == [.cancel])
  }

  @Test("inherits the deadline of the call being served when that is earlier")
  func inheritedDeadline_counts() {
    let stage = ClientStage()
    let deadline = stage.loop.now.advanced(by: .milliseconds(100))
    let call = stage.start { channel in
      try await CallScope.with(deadline: deadline) {
        let _: BytesMessage = try await channel.unary(
          .test(),
          BytesMessage("hi"),
          options: CallOptions(timeout: .seconds(5))
        )
      }
    }
    #expect(stage.peer.calls()[0].request?.timeoutNanoseconds == 100_000_000)
    stage.loop.advance(by: .milliseconds(100))
    #expect(call.error?.code == .deadlineExceeded)
  }

  @Test("whose answer is too large fails alone; the rest of the frame is skipped")
  func oversizeResponse_failsOnlyItsCall() {
    let stage = ClientStage { configuration in
      configuration.limits.frameByteCountMax = 100
      configuration.limits.skippedFrameByteCountMax = 1000
    }
    let first = stage.call()
    let second = stage.call()
    stage.play { peer in
      peer.send(.response, 1, Array(repeating: 0, count: 101))
      peer.respond(3, "small")
    }
    #expect(first.error?.code == .resourceExhausted)
    #expect(second.value == "small")
  }

  @Test("that is larger than the server takes fails without being sent")
  func oversizeRequest_isNotSent() {
    let stage = ClientStage()
    let warm = stage.call()
    stage.play { peer in
      peer.hello { $0.frameByteCountMax = 100 }
      peer.respond(1, "")
    }
    #expect(warm.isOver)
    _ = stage.peer.frames()
    let call = stage.call(String(repeating: "x", count: 101))
    #expect(call.error?.code == .resourceExhausted)
    #expect(stage.peer.frames().isEmpty)
  }

  @Test("fails when the server answers with a frame of unknown type or a stream")
  func foreignFrames_failTheCall() {
    let stage = ClientStage()
    let first = stage.call()
    stage.play { $0.send(FrameType(rawValue: 0x30), 1) }
    #expect(first.error?.code == .internal)
    let second = stage.call()
    stage.play { $0.message(3, "data") }
    #expect(second.error?.code == .internal)
    #expect(stage.peer.calls().filter { $0.type == .cancel }.map(\.id) == [1, 3])
  }

  @Test("fails with UNAVAILABLE when the connection is lost, as processed or not")
  func connectionLost_failsTheCalls() {
    let stage = ClientStage()
    let sent = stage.call()
    stage.peer.room = 0
    let unsent = stage.call()
    stage.play { $0.loseConnection() }
    #expect(sent.error?.code == .unavailable)
    #expect(sent.error?.isNotProcessed == false)
    let cause = sent.error?.cause as? TransportError
    #expect(cause?.description == "\(stage.peer.peer.address): reset")
    #expect(unsent.error?.code == .unavailable)
    #expect(unsent.error?.isNotProcessed == true)
  }

  @Test("on a connection that was lost after it was chosen says what became of it")
  func connectionLostBeforeCall_saysWhy() {
    let loop = ManualEventLoop()
    let network = ScriptedNetwork()
    let transport = network.connect(to: .ipv4([10, 0, 0, 1], port: 1), on: loop)
    let connection = ClientConnection(transport, configuration: ClientConnectionConfiguration())
    loop.run {
      connection.start()
      network.peers[0].loseConnection()
      let beginning = connection.begin(
        .raw(token: 1),
        .unary,
        service: "a.B",
        method: "C",
        deadline: .distantFuture,
        metadata: Metadata()
      ) { output, prefix in prefix(&output, 0) }
      guard case .refused(let error) = beginning else {
        Issue.record("a lost connection took a call")
        return
      }
      #expect(error.code == .unavailable && error.isNotProcessed)
      #expect(error.descriptionWithCause.contains("10.0.0.1:1: reset"))
    }
  }

  @Test("that GOAWAY leaves out was not processed; the others finish, then the connection closes")
  func goAway_splitsTheCalls() {
    let stage = ClientStage()
    let served = stage.call()
    let refused = stage.call()
    let old = stage.peer
    stage.play { peer in
      peer.hello()
      peer.goAway(lastAccepted: 1)
    }
    #expect(refused.error?.code == .unavailable)
    #expect(refused.error?.isNotProcessed == true)
    #expect(!old.isClosedByClient)
    let next = stage.call()
    #expect(stage.network.peers.count == 2)
    stage.loop.run { old.respond(1, "done") }
    #expect(served.value == "done")
    #expect(old.isClosedByClient)
    stage.play { $0.respond(1, "elsewhere") }
    #expect(next.value == "elsewhere")
  }

  @Test("moves to a new connection before the numbers run out")
  func streamIDs_usedUp_rotateTheConnection() {
    let stage = ClientStage { $0.streamIDMax = 4 }
    let calls = (0..<3).map { _ in stage.call() }
    #expect(stage.network.peers.map { $0.calls().map(\.id) } == [[1, 3], [1]])
    let first = stage.network.peers[0]
    stage.loop.run { first.respond(1, "a") }
    #expect(!first.isClosedByClient)
    stage.loop.run { first.respond(3, "b") }
    #expect(first.isClosedByClient)
    stage.play { $0.respond(1, "c") }
    #expect(calls.map(\.value) == ["a", "b", "c"])
  }

  @Test("whose cancellation reaches the loop before the call does ends with CANCELLED")
  func cancellation_aheadOfCall_endsIt() {
    let stage = ClientStage()
    let warm = stage.call()
    stage.play { $0.respond(1, "") }
    #expect(warm.isOver)
    _ = stage.peer.frames()
    let call = stage.start { channel in
      let connection = try #require(channel.pool.pick())
      let plan = CallPlan(.test(), CallOptions(), channel.configuration)
      let call = UnaryCall<BytesMessage>(.test(), plan)
      let outcome = await CallContinuation<UnaryResponse<BytesMessage>>.suspend { continuation in
        connection.cancel(call)
        call.prepare(continuation)
        connection.begin(call) { _, _ in Issue.record("a call that was given up must not be sent") }
      }
      #expect(connection.load.load(ordering: .relaxed) == 0)
      return try outcome.get().message
    }
    #expect(call.error?.code == .cancelled)
    #expect(stage.peer.frames().isEmpty)
  }
}
