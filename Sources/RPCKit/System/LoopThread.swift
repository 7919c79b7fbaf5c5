internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread of our own: for event loops and for work that blocks.
@safe
package final class LoopThread: Sendable {
  private let handle: pthread_t
  private let isJoined = Atomic(false)

  /// Starts a thread with a name of at most 15 bytes (pthread_setname_np(3)).
  package init(name: String, _ body: @escaping @Sendable () -> Void) throws(SyscallError) {
    var handle = pthread_t()
    let box = unsafe Unmanaged.passRetained(Body(name: name, run: body))
    let result = unsafe pthread_create(
      &handle,
      nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        _ = unsafe pthread_setname_np(pthread_self(), String(body.name.prefix(15)))
        body.run()
        return nil
      },
      box.toOpaque()
    )
    guard result == 0 else {
      unsafe box.release()
      throw SyscallError("pthread_create", result)
    }
    self.handle = handle
  }

  /// A thread that nobody waits for gives its stack back by itself when it ends
  /// (pthread_detach(3)).
  deinit {
    if !isJoined.load(ordering: .relaxed) { pthread_detach(handle) }
  }

  /// Waits for the thread to end.
  ///
  /// Call once, from another thread.
  package func join() {
    isJoined.store(true, ordering: .relaxed)
    _ = pthread_join(handle, nil)
  }

  /// A number that tells the calling thread from every other one that lives now.
  static var currentIdentity: UInt { UInt(pthread_self()) }

  private final class Body: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }
}
