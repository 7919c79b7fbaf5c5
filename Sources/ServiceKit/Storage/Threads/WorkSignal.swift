internal import Glibc

/// The signal on which a thread of the store sleeps until there is work (sem_overview(7)).
@safe
final class WorkSignal: @unchecked Sendable {
  // @unchecked: a semaphore is made to be used from several threads.
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    unsafe semaphore = .allocate(capacity: 1)
    unsafe semaphore.initialize(to: sem_t())
    let result = unsafe sem_init(semaphore, 0, 0)
    precondition(result == 0, "a semaphore cannot be made")
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  /// Lets one sleeper go, now or when it comes.
  func post() {
    // Fails only past two thousand million posts that nobody waited for.
    _ = unsafe sem_post(semaphore)
  }

  /// Sleeps until a post is there.
  func wait() {
    // A signal handler may interrupt it (sem_wait(3)).
    while unsafe sem_wait(semaphore) != 0 {}
  }
}
