import Testing

@testable import RPCKit

@Suite("A queue of messages")
struct MessageQueueTests {
  @Test("gives messages in order, then the end, and the end again")
  func messages_comeInOrder() async throws {
    let taken = Taken()
    let queue = taken.queue()
    for number in 1...200 { queue.push(number, byteCount: number) }
    queue.finish()
    #expect(queue.waitingByteCount == 20_100)
    for number in 1...200 {
      let message = try await queue.next()
      #expect(message == number)
    }
    for _ in 0..<2 {
      let end = try await queue.next()
      #expect(end == nil)
    }
    #expect(taken.byteCounts == Array(1...200))
    #expect(queue.waitingByteCount == 0)
  }

  @Test("ignores messages after the end, and a failure that comes when all was taken")
  func end_isFinal() async throws {
    let queue = Taken().queue()
    queue.push(1, byteCount: 1)
    queue.finish()
    queue.push(2, byteCount: 2)
    _ = try await queue.next()
    #expect(queue.finish(RPCError(.cancelled, "late")) == 0)
    let end = try await queue.next()
    #expect(end == nil)
  }

  @Test("drops what waits when it fails, says how much, and throws the first failure")
  func failure_dropsMessages() async throws {
    let taken = Taken()
    let queue = taken.queue()
    for number in 1...3 { queue.push(number, byteCount: number) }
    _ = try await queue.next()
    #expect(queue.finish(RPCError(.aborted, "first")) == 5)
    #expect(queue.finish(RPCError(.internal, "second")) == 0)
    #expect(queue.finish() == 0)
    queue.push(4, byteCount: 4)
    #expect(queue.waitingByteCount == 0)
    for _ in 0..<2 {
      let error = await #expect(throws: RPCError.self) { try await queue.next() }
      #expect(error?.message == "first")
    }
    #expect(taken.byteCounts == [1])
  }

  @Test("fails when it drops messages behind which the end is queued", arguments: [0, 7])
  func failure_beforeTheEndIsReached_replacesIt(byteCount: Int) async throws {
    let queue = Taken().queue()
    queue.push(1, byteCount: byteCount)
    queue.finish()
    #expect(queue.finish(RPCError(.aborted, "cut")) == byteCount)
    // A message without bytes is a message all the same: its loss must not look like the end.
    await #expect(throws: RPCError.self) { try await queue.next() }
  }

  @Test("wakes the consumer that waits, for a message, the end and a failure")
  func waiter_isWoken() async throws {
    for _ in 0..<100 {
      let queue = Taken().queue()
      let first = Task { try await queue.next() }
      while !queue.isAwaited { await Task.yield() }
      queue.push(1, byteCount: 1)
      let message = try await first.value
      #expect(message == 1)
      let second = Task { try await queue.next() }
      while !queue.isAwaited { await Task.yield() }
      queue.finish(RPCError(.aborted, "cut"))
      await #expect(throws: RPCError.self) { try await second.value }
      let other = Taken().queue()
      let end = Task { try await other.next() }
      while !other.isAwaited { await Task.yield() }
      other.finish()
      let last = try await end.value
      #expect(last == nil)
    }
  }

  @Test("throws when its task is cancelled, before it waits and while it does")
  func cancellation_isThrown() async {
    let queue = Taken().queue()
    for _ in 0..<200 {
      let task = Task { try await queue.next() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    queue.push(1, byteCount: 1)
    let later = try? await queue.next()
    #expect(later == 1, "the queue goes on")
  }

  @Test("gives a message that is there even to a task that is cancelled")
  func cancelled_withAMessage_takesIt() async throws {
    let queue = Taken().queue()
    queue.push(1, byteCount: 1)
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await queue.next()
    }
    let message = try await task.value
    #expect(message == 1)
  }

  @Test("loses nothing between a producer and a consumer on other threads", arguments: 1...5)
  func producerAndConsumer_loseNothing(round: Int) async throws {
    let count = 20_000
    let taken = Taken()
    let queue = taken.queue()
    let producer = Task.detached {
      for number in 0..<count {
        queue.push(number, byteCount: 1)
        if number % (97 * round) == 0 { await Task.yield() }
      }
      queue.finish()
    }
    var expected = 0
    while let message = try await queue.next() {
      guard message == expected else {
        Issue.record("\(message) came instead of \(expected)")
        break
      }
      expected += 1
    }
    await producer.value
    #expect(expected == count)
    #expect(taken.byteCounts.count == count)
    #expect(queue.waitingByteCount == 0)
  }
}

/// What consumers were charged for.
private final class Taken: Sendable {
  private let counts = Lock<[Int]>([])

  var byteCounts: [Int] { counts.withLock { $0 } }

  func queue() -> MessageQueue<Int> {
    MessageQueue { [self] byteCount in counts.withLock { $0.append(byteCount) } }
  }
}
