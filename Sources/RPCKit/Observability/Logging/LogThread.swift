import CLinux
import Glibc
import Synchronization

/// The thread behind a `StandardErrorSink`: waits on an eventfd, then drains the queue.
///
/// The thin wrapper of pthread_create(3), eventfd(2) and write(2) for the log.
@safe
final class LogThread: Sendable {
  private let shared: Shared

  /// The state of the thread; it outlives the sink until the last line is written.
  private final class Shared: Sendable {
    let queue: LogQueue
    let eventDescriptor: Int32
    let isStopping = Atomic(false)

    init(queue: LogQueue) {
      self.queue = queue
      eventDescriptor = eventfd(0, Int32(EFD_CLOEXEC))
      precondition(eventDescriptor >= 0, "eventfd failed, errno \(CLinux_errno())")
    }

    deinit {
      _ = close(eventDescriptor)
    }

    func run() {
      while !isStopping.load(ordering: .acquiring) {
        var value: UInt64 = 0
        // An interrupted read only means to look at the queue once more.
        _ = unsafe read(eventDescriptor, &value, MemoryLayout<UInt64>.size)
        queue.drain()
      }
      queue.drain()
    }
  }

  /// Starts the thread; not being able to is fatal, as at this point nothing could be logged.
  init(queue: LogQueue) {
    shared = Shared(queue: queue)
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(shared).toOpaque()
    let result = unsafe pthread_create(
      &thread,
      nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Shared>.fromOpaque(context).takeRetainedValue().run()
        return nil
      },
      context
    )
    precondition(result == 0, "the log thread could not be started, errno \(result)")
    _ = pthread_detach(thread)
  }

  /// Makes the thread look at the queue.
  func wake() {
    var one: UInt64 = 1
    // Fails only when the counter is at its maximum, and then the thread is awake anyway.
    _ = unsafe Glibc.write(shared.eventDescriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Lets the thread write what waits and end.
  func stop() {
    shared.isStopping.store(true, ordering: .releasing)
    wake()
  }

  /// Writes a line in one call, and the rest of it where the system took only a part.
  ///
  /// Returns false when the descriptor takes no more.
  static func write(_ line: [UInt8], to descriptor: Int32) -> Bool {
    var offset = 0
    while offset < line.count {
      let (written, failure) = unsafe line.withUnsafeBytes { bytes -> (Int, Int32) in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
        let written = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
        return (written, written < 0 ? CLinux_errno() : 0)
      }
      if written > 0 {
        offset += written
      } else if failure == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&waiting, 1, -1)
      } else if failure != EINTR {
        return false
      }
    }
    return true
  }
}
