internal import Synchronization

/// The loops of a process, handed out in turn.
public final class EventLoopGroup: Sendable {
  /// The loops; at least one.
  public let loops: [any EventLoop]
  private let turn = Atomic<Int>(0)

  /// Groups loops that exist already.
  public init(_ loops: [any EventLoop]) {
    precondition(!loops.isEmpty, "a group needs a loop")
    self.loops = loops
  }

  /// Starts `count` epoll loops, each on a thread of its own.
  public static func epoll(count: Int) throws(SyscallError) -> EventLoopGroup {
    var loops: [any EventLoop] = []
    for index in 0..<max(1, count) { loops.append(try EpollEventLoop(name: "loop-\(index)")) }
    return EventLoopGroup(loops)
  }

  /// The next loop in turn.
  public func next() -> any EventLoop {
    loops[nextIndex()]
  }

  /// The place of the next loop in turn.
  func nextIndex() -> Int {
    let index = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    return Int(UInt(bitPattern: index) % UInt(loops.count))
  }

  /// Counts the turns and the lag of every epoll loop.
  public func report(to metrics: RPCMetrics) {
    for (index, loop) in loops.enumerated() {
      (loop as? EpollEventLoop)?.report(to: metrics.loop(index))
    }
  }

  /// Stops every epoll loop and waits for its thread.
  ///
  /// Must not be called on one of them.
  public func stop() {
    for case let loop as EpollEventLoop in loops { loop.stop() }
  }
}
