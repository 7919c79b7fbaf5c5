internal import RPCKit

/// The outcome of an attempt to hand a mail over.
enum MailOutcome: Hashable, Sendable {
  /// The mail was handed over.
  case sent
  /// Not yet; worth another attempt.
  case failed(String)
  /// Never: another attempt would end alike.
  case refused(String)
}

/// A way for mails to leave.
protocol MailTransport: Sendable {
  /// How many mails it takes at a time. All of them must be done long before their lease ends.
  var batchCount: Int { get }

  /// Into how many parts these may be divided, which are handed over at the same time.
  var partCount: Int { get }

  /// Hands mails over; an outcome for each, in their order.
  ///
  /// Blocks the thread that it is called on, and is called on one that has nothing else to do. After
  /// `isStopping` says so, the rest has failed.
  func deliver(_ mails: [MailMessage], isStopping: @escaping () -> Bool) -> [MailOutcome]

  /// Takes back mails that were handed over and that nobody has fetched, by their identifiers.
  ///
  /// For the account that they were for is erased. Blocks as `deliver` does. Throws `FileError` when it may
  /// work another time.
  func withdraw(_ mails: [String]) throws(FileError)
}

extension MailTransport {
  /// All of them one after the other.
  var partCount: Int { 1 }

  /// Mails that were handed over stay handed over.
  func withdraw(_ mails: [String]) {}
}

/// The threads that hand mails over, made when the first one is due.
final class MailThreads: Sendable {
  private struct State {
    var group: EventLoopGroup?
    var isStopped = false
  }

  private let count: Int
  private let state = Lock(State())

  /// The service is closed.
  struct Stopped: Error, CustomStringConvertible {
    var description: String { "the service is stopping" }
  }

  /// So many threads.
  init(count: Int) { self.count = count }

  /// Runs `body` on the thread with a number.
  ///
  /// Throws `Stopped` after `stop`, and `SyscallError` when there can be no thread.
  func run<Result: Sendable>(
    on number: Int = 0,
    _ body: @escaping @Sendable () -> Result
  ) async throws -> Result {
    let group = try state.withLock { state throws -> EventLoopGroup in
      guard !state.isStopped else { throw Stopped() }
      if let group = state.group { return group }
      let group = try EventLoopGroup.epoll(count: count)
      state.group = group
      return group
    }
    return await withCheckedContinuation { continuation in
      group.loops[number].execute { continuation.resume(returning: body()) }
    }
  }

  /// Ends the threads, when what they do is done.
  func stop() {
    let group = state.withLock { state -> EventLoopGroup? in
      state.isStopped = true
      defer { state.group = nil }
      return state.group
    }
    group?.stop()
  }
}
