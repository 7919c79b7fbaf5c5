internal import CLinux
internal import Glibc
internal import Synchronization

/// A signal that a service reacts to (signal(7)).
public enum ProcessSignal: Int32, Sendable, CaseIterable {
  /// Reload what can be reloaded.
  case hangUp = 1
  /// Control-C.
  case interrupt = 2
  /// Stop in an orderly way.
  case terminate = 15
}

/// Signals of this process as a sequence, instead of as interruptions.
///
/// The handler does the one thing that is safe in a handler, write(2) to a pipe
/// (signal-safety(7)); a thread reads the pipe. One watcher per process.
public enum ProcessSignals {
  private static let pipeWriter = Atomic<Int32>(-1)

  /// Takes over `signals`; each arrival becomes an element.
  ///
  /// Also ignores SIGPIPE.
  ///
  /// Throws when the process has a watcher already or a system call fails.
  public static func watch(_ signals: [ProcessSignal]) throws -> AsyncStream<ProcessSignal> {
    var ends: [Int32] = [-1, -1]
    try Syscall.check("pipe") { unsafe pipe(&ends) }
    let (reader, writer) = (ends[0], ends[1])
    let (won, _) = pipeWriter.compareExchange(
      expected: -1,
      desired: writer,
      ordering: .sequentiallyConsistent
    )
    guard won else {
      Syscall.close(reader)
      Syscall.close(writer)
      throw LifecycleError("signals of a process are watched once")
    }
    let (stream, continuation) = AsyncStream.makeStream(of: ProcessSignal.self)
    _ = try LoopThread(name: "signals") { forward(reader, continuation) }
    for signal in signals { try install(signal) }
    _ = Glibc.signal(SIGPIPE, SIG_IGN)
    return stream
  }

  private static func install(_ signal: ProcessSignal) throws {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { number in
      var byte = UInt8(truncatingIfNeeded: number)
      let error = CLinux_errno()
      // A full pipe means that signals are waiting already; nothing is lost by dropping one.
      _ = unsafe write(ProcessSignals.pipeWriter.load(ordering: .relaxed), &byte, 1)
      CLinux_set_errno(error)
    }
    action.sa_flags = SA_RESTART
    try Syscall.check("sigaction") { unsafe sigaction(signal.rawValue, &action, nil) }
  }

  private static func forward(
    _ reader: Int32,
    _ continuation: AsyncStream<ProcessSignal>.Continuation
  ) {
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(reader, &byte, 1)
      if count == 1, let signal = ProcessSignal(rawValue: Int32(byte)) {
        continuation.yield(signal)
      } else if count == 0 || (count < 0 && CLinux_errno() != EINTR) {
        return continuation.finish()
      }
    }
  }
}
