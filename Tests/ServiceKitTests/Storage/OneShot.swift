import Glibc

/// Something that happens once, for a thread that may block until it has.
@safe
final class OneShot: @unchecked Sendable {
  // @unchecked: a semaphore is made to be used from several threads.
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    unsafe semaphore = .allocate(capacity: 1)
    unsafe semaphore.initialize(to: sem_t())
    unsafe sem_init(semaphore, 0, 0)
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  func fire() { _ = unsafe sem_post(semaphore) }

  /// Returns once it has happened, however often it is asked.
  func wait() {
    while unsafe sem_wait(semaphore) != 0 {}
    fire()
  }
}

/// Something that happens once, for a task that waits without holding its thread.
///
/// Not a `OneShot` in a test's own task: two of them would take both threads of a small machine's
/// pool, and nobody would be left to fire.
struct Milestone: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func reach() { continuation.finish() }

  func reached() async {
    for await _ in stream {}
  }
}
