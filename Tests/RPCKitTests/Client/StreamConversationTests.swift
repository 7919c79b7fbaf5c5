import Testing

@testable import RPCKit

@Suite("A streaming call", .teardown)
struct StreamConversationTests {
  /// Reads a server stream to its end.
  private func readAll(
    _ stage: ClientStage,
    _ options: CallOptions = CallOptions()
  ) -> Running<[String]> {
    stage.start { channel in
      var texts: [String] = []
      let stream: ResponseStream<BytesMessage> = channel.serverStreaming(
        .test(.serverStreaming),
        BytesMessage("go"),
        options: options
      )
      for try await message in stream { texts.append(message.text) }
      return texts
    }
  }

  @Test("of the server opens with 0x01 and its payload and yields messages until the end frame")
  func serverStream_yieldsMessages() {
    let stage = ClientStage()
    let reading = readAll(stage)
    let request = stage.peer.calls()[0]
    #expect(request.type == .request && request.flags == 0x01 && request.requestText == "go")
    stage.play { peer in
      peer.message(1, "a")
      peer.message(1, "")
    }
    stage.play { peer in
      peer.message(1, "c")
      peer.endStream(1)
    }
    #expect(reading.value == ["a", "", "c"])
    #expect(stage.peer.frames().isEmpty)
  }

  @Test("of the server may carry the last message in the end frame or in the Response")
  func serverStream_lastMessageWithTheEnd_isDelivered() {
    let stage = ClientStage()
    let first = readAll(stage)
    stage.play { $0.message(1, "last", isLast: true) }
    #expect(first.value == ["last"])
    let second = readAll(stage)
    stage.play { $0.respond(3, "reply") }
    #expect(second.value == ["reply"])
  }

  @Test("of the server throws the status it ends with")
  func serverStream_error_isThrown() {
    let stage = ClientStage()
    let reading = readAll(stage)
    stage.play { peer in
      peer.message(1, "a")
      peer.respond(1, RPCError(.dataLoss, "broken"))
    }
    #expect(reading.error?.code == .dataLoss)
  }

  @Test("of the server is cancelled when the loop is left")
  func serverStream_loopLeft_sendsCancel() {
    let stage = ClientStage()
    let reading = stage.start { channel in
      let stream: ResponseStream<BytesMessage> = channel.serverStreaming(
        .test(.serverStreaming),
        BytesMessage("go"),
        options: CallOptions()
      )
      for try await message in stream where message.text == "stop" { break }
    }
    stage.play { $0.message(1, "go on") }
    #expect(stage.peer.calls().map(\.type) == [.request])
    stage.play { $0.message(1, "stop") }
    #expect(reading.isOver)
    #expect(stage.peer.calls().map(\.type) == [.cancel])
  }

  @Test("of the server ends with CANCELLED when its task is cancelled")
  func serverStream_taskCancelled_sendsCancel() {
    let stage = ClientStage()
    let reading = readAll(stage)
    stage.play { $0.message(1, "a") }
    reading.cancel()
    stage.loop.run()
    #expect(reading.error?.code == .cancelled)
    #expect(stage.peer.calls().map(\.type) == [.request, .cancel])
  }

  @Test("of the server ends at its deadline")
  func serverStream_deadline_ends() {
    let stage = ClientStage()
    let reading = readAll(stage, CallOptions(timeout: .seconds(1)))
    stage.play { $0.message(1, "a") }
    stage.loop.advance(by: .seconds(1))
    #expect(reading.error?.code == .deadlineExceeded)
  }

  @Test("gives credit back once half the window was consumed, and only to servers with HELLO")
  func serverStream_consumed_grantsCredit() {
    for speaksHello in [true, false] {
      let stage = ClientStage { $0.limits.streamWindowByteCount = 200 }
      let reading = readAll(stage)
      stage.play { peer in
        if speaksHello { peer.hello() }
        peer.message(1, String(repeating: "x", count: 89))
      }
      #expect(stage.peer.calls().map(\.type) == [.request])
      stage.play { $0.message(1, "y") }
      let credits = stage.peer.calls()
      #expect(credits.map(\.type) == (speaksHello ? [.credit] : []))
      if speaksHello { #expect(credits[0].payload == [0x08, 110]) }
      reading.cancel()
      stage.loop.run()
    }
  }

  @Test("fails when a server with HELLO sends far more than the window")
  func serverStream_windowExceeded_fails() {
    let stage = ClientStage { $0.limits.streamWindowByteCount = 100 }
    let holding = stage.start { channel in
      let stream: ResponseStream<BytesMessage> = channel.serverStreaming(
        .test(.serverStreaming),
        BytesMessage("go"),
        options: CallOptions()
      )
      var iterator = stream.makeAsyncIterator()
      _ = try await iterator.next()
      try await withUnfinishedWait()
      return try await iterator.next()
    }
    stage.play { peer in
      peer.hello()
      for _ in 0..<5 { peer.message(1, String(repeating: "x", count: 50)) }
    }
    #expect(stage.peer.calls().map(\.type) == [.request, .cancel])
    holding.cancel()
    stage.loop.run()
  }

  @Test("pauses reading when a stock server sends more than callers take")
  func serverStream_stockServerFloods_readingPauses() {
    let stage = ClientStage { configuration in
      configuration.limits.unconsumedByteCountMax = 100
      configuration.limits.streamStallTimeout = .seconds(5)
    }
    let holding = stage.start { channel in
      let stream: ResponseStream<BytesMessage> = channel.serverStreaming(
        .test(.serverStreaming),
        BytesMessage("go"),
        options: CallOptions()
      )
      var iterator = stream.makeAsyncIterator()
      _ = try await iterator.next()
      try await withUnfinishedWait()
      return try await iterator.next()
    }
    stage.play { $0.message(1, "first") }
    stage.play { peer in
      for _ in 0..<2 { peer.message(1, String(repeating: "x", count: 50)) }
    }
    #expect(!stage.peer.isReading)
    stage.loop.advance(by: .seconds(7))
    #expect(stage.peer.isReading)
    #expect(stage.peer.calls().map(\.type) == [.request, .cancel])
    holding.cancel()
    stage.loop.run()
  }

  @Test("of the client opens with 0x06, sends Data, ends with 0x05 and returns the response")
  func clientStream_sendsMessages() {
    let stage = ClientStage()
    let call = stage.start { channel in
      let response: BytesMessage = try await channel.clientStreaming(
        .test(.clientStreaming),
        options: CallOptions()
      ) { (writer: RequestWriter<BytesMessage>) in
        try await writer.write("a")
        try await writer.write("")
      }
      return response.text
    }
    let frames = stage.peer.calls()
    #expect(frames.map(\.type) == [.request, .data, .data, .data])
    #expect(frames.map(\.flags) == [6, 0, 0, 5])
    #expect(frames[0].request?.payload == nil)
    #expect(frames.map(\.id) == [1, 1, 1, 1])
    #expect(frames[1].text == "a" && frames[2].text == "")
    stage.play { $0.respond(1, "thanks") }
    #expect(call.value == "thanks")
    #expect(stage.peer.frames().isEmpty)
  }

  @Test("of the client returns an early answer, and its writes end")
  func clientStream_earlyAnswer_counts() {
    let stage = ClientStage { $0.limits.outputWriterByteCountMax = 40 }
    let call = stage.start { channel in
      let response: BytesMessage = try await channel.clientStreaming(
        .test(.clientStreaming),
        options: CallOptions()
      ) { (writer: RequestWriter<BytesMessage>) in
        while true { try await writer.write("more and more and more") }
      }
      return response.text
    }
    _ = call
    stage.play { $0.respond(1, "enough") }
    #expect(call.value == "enough")
  }

  @Test("of the client is cancelled when its body throws")
  func clientStream_bodyThrows_sendsCancel() {
    let stage = ClientStage()
    let call = stage.start { channel in
      let _: BytesMessage = try await channel.clientStreaming(
        .test(.clientStreaming),
        options: CallOptions()
      ) { (writer: RequestWriter<BytesMessage>) in
        throw RPCError(.aborted, "changed my mind")
      }
    }
    #expect(call.error?.code == .aborted)
    #expect(stage.peer.calls().map(\.type) == [.request, .cancel])
  }

  @Test("waits for credit, first with the assumed window, then with the server's")
  func writer_waitsForCredit() {
    let stage = ClientStage()
    let message = String(repeating: "x", count: (32 << 10) - 10)
    let call = stage.start { channel in
      let response: BytesMessage = try await channel.clientStreaming(
        .test(.clientStreaming),
        options: CallOptions()
      ) { (writer: RequestWriter<BytesMessage>) in
        for _ in 0..<8 { try await writer.write(BytesMessage(Array(message.utf8))) }
      }
      return response.text
    }
    func dataCount() -> Int { stage.peer.calls().filter { $0.type == .data }.count }
    #expect(dataCount() == 2)
    stage.play { $0.hello { $0.streamWindowByteCount = 128 << 10 } }
    #expect(dataCount() == 2)
    stage.play { $0.credit(1, 1) }
    #expect(dataCount() == 1)
    stage.play { $0.credit(1, 256 << 10) }
    #expect(dataCount() == 4)
    stage.play { $0.respond(1, "done") }
    #expect(call.value == "done")
  }

  @Test("goes on without credit once the server turns out to be stock, or stays silent")
  func writer_stockServer_doesNotWait() {
    for answersAnotherCall in [true, false] {
      let stage = ClientStage { $0.limits.outputWriterByteCountMax = 1 << 20 }
      let call = stage.start { channel in
        let response: BytesMessage = try await channel.clientStreaming(
          .test(.clientStreaming),
          options: CallOptions()
        ) { (writer: RequestWriter<BytesMessage>) in
          for _ in 0..<4 {
            try await writer.write(BytesMessage(Array(repeating: 1, count: 64 << 10)))
          }
        }
        return response.text
      }
      #expect(stage.peer.calls().filter { $0.type == .data }.count == 1)
      if answersAnotherCall {
        _ = stage.call()
        stage.play { $0.respond(3, "stock") }
      } else {
        stage.loop.advance(by: .seconds(4))
      }
      #expect(stage.peer.calls().filter { $0.type == .data }.count == 4)
      stage.play { $0.respond(1, "done") }
      #expect(call.value == "done")
    }
  }

  @Test("waits for room when the stream is full, and goes on as it drains")
  func writer_waitsForRoom() {
    let stage = ClientStage { $0.limits.outputWriterByteCountMax = 100 }
    let warm = stage.call()
    stage.play { $0.respond(1, "stock") }
    #expect(warm.isOver)
    stage.peer.room = 0
    let written = Counter()
    let call = stage.start { channel in
      let response: BytesMessage = try await channel.clientStreaming(
        .test(.clientStreaming),
        options: CallOptions()
      ) { (writer: RequestWriter<BytesMessage>) in
        for _ in 0..<6 {
          try await writer.write(BytesMessage(Array(repeating: 1, count: 40)))
          written.value += 1
        }
      }
      return response.text
    }
    #expect(written.value == 2)
    stage.play { $0.takeMore(.max) }
    #expect(written.value == 6)
    stage.play { $0.respond(3, "done") }
    #expect(call.value == "done")
  }

  @Test("ends a write whose cancellation reaches the loop first, and goes on")
  func writer_cancelledAheadOfWrite_ends() {
    let stage = ClientStage()
    let collecting = stage.start { channel -> BytesMessage in
      try await channel.clientStreaming(
        .test(.clientStreaming),
        options: CallOptions()
      ) { (writer: RequestWriter<BytesMessage>) in
        let token = StreamingCall.WriteToken()
        let outcome = await CallContinuation<Void>.suspend { continuation in
          writer.call.withdraw(token)
          writer.call.enqueue(.init(.message(deflates: false), token, ByteBuffer(), continuation))
        }
        guard case .failure(let error) = outcome else {
          Issue.record("a withdrawn message was sent")
          return
        }
        #expect(error.code == .cancelled)
        try await writer.write("after")
      }
    }
    let frames = stage.peer.calls()
    #expect(frames.map(\.type) == [.request, .data, .data])
    stage.play { $0.respond(1, "done") }
    #expect(collecting.value?.text == "done")
  }

  @Test("ends waiting writers with its own error when it ends")
  func writer_callEnds_throwsItsError() {
    let stage = ClientStage()
    let call = stage.start { channel in
      let _: BytesMessage = try await channel.clientStreaming(
        .test(.clientStreaming),
        options: CallOptions()
      ) { (writer: RequestWriter<BytesMessage>) in
        while true {
          try await writer.write(BytesMessage(Array(repeating: 1, count: 64 << 10)))
        }
      }
    }
    stage.play { peer in
      peer.hello()
      peer.respond(1, RPCError(.permissionDenied, "no"))
    }
    #expect(call.error?.code == .permissionDenied)
  }

  @Test("both ways answers message by message and ends when the server ends it")
  func bidirectional_pingPong() {
    let stage = ClientStage()
    let call = stage.start { channel in
      try await channel.bidirectional(
        .test(.bidirectional),
        options: CallOptions()
      ) { (writer: RequestWriter<BytesMessage>, stream: ResponseStream<BytesMessage>) in
        var texts: [String] = []
        try await writer.write("ping")
        for try await message in stream {
          texts.append(message.text)
          if texts.count < 3 {
            try await writer.write("ping")
          } else {
            try await writer.finish()
          }
        }
        return texts
      }
    }
    for round in 1...3 {
      let sent = stage.peer.calls().filter { $0.type == .data }
      #expect(sent.map(\.text) == ["ping"])
      stage.play { $0.message(1, "pong \(round)") }
    }
    #expect(stage.peer.calls().map(\.flags) == [5])
    stage.play { $0.endStream(1) }
    #expect(call.value == ["pong 1", "pong 2", "pong 3"])
    #expect(stage.peer.frames().isEmpty)
  }

  @Test("both ways is cancelled when its body returns early")
  func bidirectional_bodyReturns_sendsCancel() {
    let stage = ClientStage()
    let call = stage.start { channel in
      try await channel.bidirectional(
        .test(.bidirectional),
        options: CallOptions()
      ) { (writer: RequestWriter<BytesMessage>, stream: ResponseStream<BytesMessage>) in 7 }
    }
    #expect(call.value == 7)
    #expect(stage.peer.calls().map(\.type) == [.request, .cancel])
  }
}

/// Counts on the test's one thread.
final class Counter: @unchecked Sendable {
  var value = 0
}

/// Waits until the task is cancelled.
private func withUnfinishedWait() async throws {
  let (stream, continuation) = AsyncStream<Void>.makeStream()
  for await _ in stream {}
  continuation.finish()
}
