internal import Glibc

/// State behind a mutual exclusion lock (pthread_mutex_lock(3)).
///
/// Not `Synchronization.Mutex`, because ThreadSanitizer does not see through its futex and reports
/// races that are none; a suite that must run clean under the sanitizer needs a lock that it knows.
/// Costs one allocation when made, and about as much to take. Not recursive. `body` must not call
/// code that it does not own: return an action and run it afterwards.
@safe
@usableFromInline
package struct Lock<State>: ~Copyable, @unchecked Sendable {
  // @unchecked: `state` is touched only between lock and unlock.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let state: UnsafeMutablePointer<State>

  package init(_ initial: consuming sending State) {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let result = unsafe pthread_mutex_init(mutex, nil)
    precondition(result == 0, "a lock cannot be made: error \(result)")
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: initial)
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs `body` with the state to itself.
  ///
  /// Inlinable, because calling a closure through generic code costs more than the lock.
  @inlinable
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock()
    defer { unlock() }
    return try unsafe body(&state.pointee)
  }

  @usableFromInline
  borrowing func lock() { unsafe pthread_mutex_lock(mutex) }

  @usableFromInline
  borrowing func unlock() { unsafe pthread_mutex_unlock(mutex) }
}
