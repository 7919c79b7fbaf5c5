/// Writes lines to standard error from a thread of its own.
///
/// Callers only append to a queue of bounded size; when anyone who reads standard error is too slow,
/// lines are dropped and counted, and a line says how many. Each line goes out in one write(2), so
/// lines of different threads never mix. The process should ignore SIGPIPE.
public final class StandardErrorSink: LogSink {
  /// The sink of the process.
  public static let shared = StandardErrorSink()

  private let queue: LogQueue
  private let thread: LogThread

  /// Makes a sink for another descriptor, which stays open and belongs to the caller.
  package init(
    descriptor: Int32 = 2,
    queueByteCountMax: Int = 1 << 20,
    clock: any WallClock = SystemWallClock()
  ) {
    let queue = LogQueue(
      descriptor: descriptor,
      byteCountMax: queueByteCountMax,
      clock: clock
    )
    self.queue = queue
    thread = LogThread(queue: queue)
  }

  deinit {
    thread.stop()
  }

  /// Lines that were dropped because the queue was full or writing failed.
  public var droppedLineCount: UInt64 { queue.droppedLineCount }

  /// See `LogSink.write(_:)`.
  public func write(_ line: [UInt8]) {
    if queue.append(line) { thread.wake() }
  }

  /// See `LogSink.flush()`.
  public func flush() {
    queue.drain()
  }
}

/// Lines that wait to be written, and the writing of them.
final class LogQueue: Sendable {
  private struct State {
    var lines: [[UInt8]] = []
    var byteCount = 0
    /// Dropped since the last line that said so.
    var unreportedDropCount: UInt64 = 0
  }

  private let state = Lock(State())
  /// Held while writing, so that a flush waits for the lines the thread has taken.
  private let writing = Lock<Void>(())
  private let dropped = Counter()
  private let descriptor: Int32
  private let byteCountMax: Int
  private let clock: any WallClock

  init(descriptor: Int32, byteCountMax: Int, clock: any WallClock) {
    self.descriptor = descriptor
    self.byteCountMax = byteCountMax
    self.clock = clock
  }

  var droppedLineCount: UInt64 { dropped.value }

  /// Adds a line or drops it; says whether the queue was empty, so that the thread must be woken.
  func append(_ line: [UInt8]) -> Bool {
    let (isAdded, wasEmpty) = state.withLock { state in
      guard state.byteCount + line.count <= byteCountMax else {
        state.unreportedDropCount += 1
        return (false, false)
      }
      state.lines.append(line)
      state.byteCount += line.count
      return (true, state.lines.count == 1)
    }
    if !isAdded { dropped.increment() }
    return wasEmpty
  }

  /// Writes what waits when it is called; blocks as long as the reader of the descriptor makes it.
  ///
  /// Lines that arrive in the meantime find the queue empty and wake the thread again, so that a flush
  /// ends even while others keep logging.
  func drain() {
    writing.withLock { _ in
      let (lines, dropCount) = state.withLock { state in
        let taken = (state.lines, state.unreportedDropCount)
        state.lines = []
        state.byteCount = 0
        state.unreportedDropCount = 0
        return taken
      }
      for line in lines where !LogThread.write(line, to: descriptor) { dropped.increment() }
      // A report that cannot be written either is not counted: it was nobody's line.
      if dropCount > 0 { _ = LogThread.write(dropReport(dropCount), to: descriptor) }
    }
  }

  private func dropReport(_ count: UInt64) -> [UInt8] {
    LogLineEncoder.line(
      time: clock.now,
      level: .warning,
      label: "rpckit.log",
      message: "log lines dropped",
      fields: ["count": LogValue(count)]
    )
  }
}
