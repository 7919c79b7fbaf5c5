import Testing

@testable import RPCKit

@Suite("Retries", .teardown)
struct RetryConversationTests {
  private func stage(_ change: (inout ChannelConfiguration) -> Void = { _ in }) -> ClientStage {
    ClientStage { configuration in
      configuration.retry = RetryPolicy()
      change(&configuration)
    }
  }

  @Test("send a call again that the server did not process, after a pause")
  func notProcessed_isSentAgain() {
    let stage = stage()
    let call = stage.call()
    stage.play { $0.respond(1, RPCError(.resourceExhausted, "busy", isNotProcessed: true)) }
    #expect(!call.isOver)
    stage.loop.advance(by: .milliseconds(20))
    #expect(stage.peer.calls().map(\.id) == [1, 3])
    stage.play { $0.respond(3, "second time") }
    #expect(call.value == "second time")
  }

  @Test("repeat UNAVAILABLE only of idempotent methods", arguments: [true, false])
  func unavailable_isRepeatedIfIdempotent(isIdempotent: Bool) {
    let stage = stage()
    let call = stage.call("hi", .test(isIdempotent: isIdempotent))
    stage.play { $0.respond(1, RPCError(.unavailable, "restarting")) }
    stage.loop.advance(by: .milliseconds(20))
    #expect(call.isOver != isIdempotent)
    #expect(stage.peer.calls().count == (isIdempotent ? 2 : 1))
    call.cancel()
    stage.loop.run()
  }

  @Test("leave other errors alone, even of idempotent methods")
  func otherErrors_areNotRetried() {
    let stage = stage()
    let call = stage.call("hi", .test(isIdempotent: true))
    stage.play { $0.respond(1, RPCError(.internal, "bug")) }
    #expect(call.error?.code == .internal)
  }

  @Test("end after five attempts with the last error")
  func attempts_areBounded() {
    let stage = stage()
    let call = stage.call()
    for attempt in 0..<5 {
      #expect(!call.isOver)
      stage.play { peer in
        peer.respond(
          UInt32(attempt * 2 + 1),
          RPCError(.aborted, "\(attempt)", isNotProcessed: true)
        )
      }
      stage.loop.advance(by: .seconds(2))
    }
    #expect(call.error?.message == "4")
    #expect(stage.peer.calls().count == 5)
  }

  @Test("do not go past the deadline")
  func deadline_endsRetries() {
    let stage = stage { $0.retry.backOff = BackOff(initial: .seconds(60), maximum: .seconds(60)) }
    let call = stage.call("hi", .test(), CallOptions(timeout: .milliseconds(1)))
    stage.play { $0.respond(1, RPCError(.aborted, "busy", isNotProcessed: true)) }
    #expect(call.error?.code == .aborted)
  }

  @Test("wait as long as the server asks in RetryInfo")
  func retryInfo_isHonoured() {
    let stage = stage()
    let call = stage.call()
    // RetryInfo { retry_delay { seconds: 3 } }
    let info = RPCError.Detail(
      typeURL: "type.googleapis.com/google.rpc.RetryInfo",
      value: [0x0A, 0x02, 0x08, 0x03]
    )
    stage.play {
      $0.respond(1, RPCError(.unavailable, "later", details: [info], isNotProcessed: true))
    }
    stage.loop.advance(by: .milliseconds(2_999))
    #expect(stage.peer.calls().count == 1)
    stage.loop.advance(by: .milliseconds(1))
    #expect(stage.peer.calls().count == 1)
    #expect(!call.isOver)
    call.cancel()
    stage.loop.run()
  }

  @Test("stop when the channel's budget is used up")
  func budget_isShared() {
    let stage = stage { configuration in
      configuration.retry.budgetPerCall = 0
      configuration.retry.budgetPerSecond = 2
    }
    let calls = (0..<3).map { _ in stage.call() }
    stage.play { peer in
      for id in [UInt32(1), 3, 5] {
        peer.respond(id, RPCError(.aborted, "busy", isNotProcessed: true))
      }
    }
    #expect(calls.filter(\.isOver).count == 1)
    for call in calls { call.cancel() }
    stage.loop.run()
  }

  @Test("move calls that GOAWAY left out to the next connection")
  func goAway_retriesElsewhere() {
    let stage = stage()
    let call = stage.call()
    stage.play { peer in
      peer.hello()
      peer.goAway(lastAccepted: 0)
    }
    stage.loop.advance(by: .milliseconds(20))
    #expect(stage.network.peers.count == 2)
    stage.play { $0.respond(1, "elsewhere") }
    #expect(call.value == "elsewhere")
  }

  @Test("leave a server stream alone once its first message has come")
  func stream_afterFirstMessage_isNotRetried() {
    let stage = stage()
    let reading = stage.start { channel in
      let stream: ResponseStream<BytesMessage> = channel.serverStreaming(
        .test(.serverStreaming),
        BytesMessage("go"),
        options: CallOptions()
      )
      for try await _ in stream {}
    }
    let refusal = RPCError(.aborted, "busy", isNotProcessed: true)
    stage.play { $0.respond(1, refusal) }
    stage.loop.advance(by: .milliseconds(20))
    #expect(!reading.isOver)
    stage.play { $0.message(3, "first") }
    stage.play { $0.respond(3, refusal) }
    #expect(reading.error?.code == .aborted)
  }
}
