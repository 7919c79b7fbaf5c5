import TestingContracts
import Testing

@testable import RPCKit

/// Each kind of call from a client through real sockets to a handler and back.
@Suite("The four kinds of call over sockets", .timeLimit(.minutes(1)))
struct FourKindsTests {
  @Test("A unary call carries every field both ways", arguments: SocketKind.allCases)
  func unary_allFields_comeBack(kind: SocketKind) async throws {
    try await EndToEnd.run(over: kind) { test in
      for example in [RichExamples.everything, Rich()] + RichExamples.limits {
        let response = try await test.rich.echo(example)
        #expect(response == example)
      }
    }
  }

  @Test(
    "A server stream carries its messages in order, none included",
    arguments: SocketKind.allCases
  )
  func serverStream_manyAndNone_arriveInOrder(kind: SocketKind) async throws {
    try await EndToEnd.run(over: kind) { test in
      for count: Int32 in [0, 1, 500] {
        var expected: Int32 = 0
        for try await response in test.rich.expand(Rich(number: count)) {
          #expect(response.int32Value == expected)
          expected += 1
        }
        #expect(expected == count)
      }
    }
  }

  @Test("A client stream carries its messages, none included", arguments: SocketKind.allCases)
  func clientStream_manyAndNone_areAllCounted(kind: SocketKind) async throws {
    try await EndToEnd.run(over: kind) { test in
      for count: Int32 in [0, 1, 500] {
        let sum = try await test.rich.collect { writer in
          for number in 0..<count { try await writer.write(Rich(number: number)) }
        }
        #expect(sum.int64Value == Int64(count))
        #expect(sum.int32Value == count * (count - 1) / 2)
      }
    }
  }

  @Test("Streams both ways answer message by message", arguments: SocketKind.allCases)
  func bidirectional_pingPong_answersEach(kind: SocketKind) async throws {
    try await EndToEnd.run(over: kind) { test in
      try await test.rich.converse { writer, responses in
        var iterator = responses.makeAsyncIterator()
        for number: Int32 in 0..<200 {
          try await writer.write(Rich(number: number))
          #expect(try await iterator.next()?.int32Value == number)
        }
        try await writer.finish()
        #expect(try await iterator.next() == nil)
      }
    }
  }

  @Test("Empty messages of a stream are messages")
  func stream_ofEmptyMessages_countsEach() async throws {
    try await EndToEnd.run { test in
      let sum = try await test.rich.collect { writer in
        for _ in 0..<10 { try await writer.write(Rich()) }
      }
      #expect(sum.int64Value == 10)
      let echoed = try await test.rich.converse { writer, responses in
        for _ in 0..<10 { try await writer.write(Rich()) }
        try await writer.finish()
        return try await responses.reduce(into: 0) { count, message in
          #expect(message == Rich())
          count += 1
        }
      }
      #expect(echoed == 10)
    }
  }

  @Test("A thousand calls at once on one connection each get their own answer")
  func unary_thousandAtOnce_eachGetsItsOwn() async throws {
    // The subject is concurrency; a debug build under sanitizers would count as overloaded.
    try await EndToEnd.run(server: { $0.admission.isAdaptive = false }) { test in
      let client = test.rich
      let answered = try await withThrowingTaskGroup { group in
        for number: Int32 in 0..<1000 {
          group.addTask { try await client.echo(Rich(number: number)).int32Value == number }
        }
        return try await group.reduce(into: 0) { count, isRight in count += isRight ? 1 : 0 }
      }
      #expect(answered == 1000)
      #expect(test.server.connectionCount == 1)
    }
  }

  @Test("A hundred streams at once do not mix")
  func bidirectional_hundredAtOnce_doNotMix() async throws {
    try await EndToEnd.run { test in
      let client = test.rich
      try await withThrowingTaskGroup { group in
        for stream: Int32 in 0..<100 {
          group.addTask {
            try await client.converse { writer, responses in
              var iterator = responses.makeAsyncIterator()
              for number: Int32 in 0..<20 {
                try await writer.write(Rich(number: stream * 100 + number))
                #expect(try await iterator.next()?.int32Value == stream * 100 + number)
              }
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
