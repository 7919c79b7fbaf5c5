import TestingContracts
import Testing

@testable import RPCKit

/// A side that sends faster than the other takes waits; memory stays bounded, other calls continue.
@Suite("Back-pressure and compression over sockets", .timeLimit(.minutes(1)))
struct BackPressureTests {
  private static let message = Rich(byteCount: 16 << 10)

  /// What a stream may have sent before its consumer took anything: the window, and the message
  /// that overdraws it.
  private static let sentCountMax = (256 << 10) / (16 << 10) + 2

  @Test("A handler that writes fast waits for a client that reads slowly")
  func handler_fasterThanClient_waits() async throws {
    let sent = Tally()
    let handler = RichHandler(onExpand: { _, _, writer in
      for _ in 0..<200 {
        try await writer.write(Self.message)
        sent.add()
      }
    })
    try await EndToEnd.run(handler) { test in
      var taken = 0
      for try await message in test.rich.expand(Rich()) {
        #expect(message == Self.message)
        taken += 1
        if taken == 1 {
          // Calls beside the stalled stream continue as before.
          for number: Int32 in 0..<50 {
            let response = try await test.rich.echo(Rich(number: number))
            #expect(response.int32Value == number)
          }
          #expect(sent.value <= Self.sentCountMax)
        }
      }
      #expect(taken == 200)
    }
  }

  @Test("A client that writes fast waits for a handler that reads slowly")
  func client_fasterThanHandler_waits() async throws {
    let (go, sent) = (OneTimeEvent<Void>(), Tally())
    let handler = RichHandler(onCollect: { requests, _ in
      try await go.value()
      return Rich(number: try await requests.reduce(into: Int32(0)) { count, _ in count += 1 })
    })
    try await EndToEnd.run(handler) { test in
      let client = test.rich
      async let sum = client.collect { writer in
        for _ in 0..<200 {
          try await writer.write(Self.message)
          sent.add()
        }
      }
      for number: Int32 in 0..<50 {
        let response = try await client.echo(Rich(number: number))
        #expect(response.int32Value == number)
      }
      #expect(sent.value <= Self.sentCountMax)
      go.happened()
      let answer = try await sum
      #expect(answer.int32Value == 200)
    }
  }

  @Test("A hundred streams whose consumers stall hold their windows and no more")
  func streams_stalled_areBounded() async throws {
    let sent = Tally()
    let handler = RichHandler(onExpand: { _, _, writer in
      while true {
        try await writer.write(Self.message)
        sent.add()
      }
    })
    try await EndToEnd.run(handler) { test in
      var iterators: [ResponseStream<Rich>.AsyncIterator] = []
      for _ in 0..<100 {
        var iterator = test.rich.expand(Rich()).makeAsyncIterator()
        let first = try await iterator.next()
        #expect(first == Self.message)
        iterators.append(iterator)
      }
      for number: Int32 in 0..<100 {
        let response = try await test.rich.echo(Rich(number: number))
        #expect(response.int32Value == number)
      }
      #expect(sent.value <= 100 * Self.sentCountMax)
      iterators = []
      #expect(await test.eventually { test.server.admission.runningCount == 0 })
    }
  }

  @Test("Deflated messages of every kind arrive whole, and fewer bytes travel")
  func messages_deflated_arriveAndShrink() async throws {
    let large = Rich(byteCount: 200 << 10)
    let handler = RichHandler(
      onExpand: { request, _, writer in
        for _ in 0..<20 { try await writer.write(request) }
      },
      onCollect: { requests, _ in
        var last = Rich()
        for try await request in requests { last = request }
        return last
      }
    )
    try await EndToEnd.run(handler, server: { $0.compressesResponses = true }) { test in
      // The first call precedes the exchange of settings, so it is not deflated.
      _ = try await test.rich.echo(Rich())
      let received = test.server.core.observer.metrics.serverConnections.bytesReceived
      let sent = test.server.core.observer.metrics.serverConnections.bytesSent
      let before = (received.value, sent.value)
      let options = CallOptions(compressesRequest: true)
      let echoed = try await test.rich.echo(large, options: options)
      #expect(echoed == large)
      for try await response in test.rich.expand(large, options: options) {
        #expect(response == large)
      }
      let last = try await test.rich.collect(options: options) { writer in
        for _ in 0..<20 { try await writer.write(large) }
      }
      #expect(last == large)
      try await test.rich.converse(options: options) { writer, responses in
        var iterator = responses.makeAsyncIterator()
        for _ in 0..<20 {
          try await writer.write(large)
          #expect(try await iterator.next() == large)
        }
      }
      #expect(received.value - before.0 < 200 << 10)
      #expect(sent.value - before.1 < 200 << 10)
    }
  }
}
