internal import CLinux
internal import Glibc
internal import Synchronization

/// The readiness of a descriptor.
struct DescriptorReadiness: OptionSet, Hashable, Sendable {
  var rawValue: UInt8

  /// Bytes, a connection or the end of the stream can be read.
  static let readable = DescriptorReadiness(rawValue: 1)
  /// There is room to write, or a connection attempt ended.
  static let writable = DescriptorReadiness(rawValue: 2)
  /// The connection failed or both directions are closed.
  static let hangUp = DescriptorReadiness(rawValue: 4)
}

/// An epoll instance (epoll(7)), level-triggered.
///
/// Interest is registered with a 64-bit name that comes back with each event. The name holds more
/// than the descriptor's number, so that an event for a number that was closed and given out again
/// is recognised as stale.
@safe
struct Epoll: ~Copyable {
  private let descriptor: FileDescriptor
  private let wakeDescriptor: FileDescriptor
  private let events: UnsafeMutableBufferPointer<epoll_event>
  private let preciseWait: PreciseWait
  /// Whether the kernel has `preciseWait`, as far as it is known.
  private let waitsPrecisely = Atomic<Bool>(true)

  /// A function like epoll_pwait2(2), which not every kernel has.
  typealias PreciseWait =
    @convention(c) (
      Int32, UnsafeMutablePointer<epoll_event>?, Int32, UnsafePointer<timespec>?,
      UnsafePointer<sigset_t>?
    ) -> Int32

  /// The name under which the wake-up descriptor reports.
  static let wakeName = UInt64.max
  private static let eventCountMax = 256

  /// Makes an instance together with the descriptor that wakes it.
  static func make() throws(SyscallError) -> Epoll {
    try unsafe make(preciseWait: epoll_pwait2)
  }

  /// The same on a kernel whose epoll_pwait2(2) is `preciseWait`.
  static func make(preciseWait: @escaping PreciseWait) throws(SyscallError) -> Epoll {
    let epoll = unsafe Epoll(
      FileDescriptor(
        owning: try Syscall.check("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
      ),
      FileDescriptor(
        owning: try Syscall.check("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
      ),
      preciseWait
    )
    try epoll.add(epoll.wakeDescriptor.number, .readable, name: wakeName)
    return epoll
  }

  private init(
    _ descriptor: consuming FileDescriptor,
    _ wakeDescriptor: consuming FileDescriptor,
    _ preciseWait: @escaping PreciseWait
  ) {
    self.descriptor = descriptor
    self.wakeDescriptor = wakeDescriptor
    unsafe self.preciseWait = preciseWait
    unsafe events = .allocate(capacity: Self.eventCountMax)
    unsafe events.initialize(repeating: epoll_event())
  }

  deinit {
    unsafe events.deallocate()
  }

  func add(_ number: Int32, _ interest: DescriptorReadiness, name: UInt64) throws(SyscallError) {
    try control(EPOLL_CTL_ADD, number, interest, name)
  }

  func modify(_ number: Int32, _ interest: DescriptorReadiness, name: UInt64) throws(SyscallError) {
    try control(EPOLL_CTL_MOD, number, interest, name)
  }

  func remove(_ number: Int32) throws(SyscallError) {
    try control(EPOLL_CTL_DEL, number, [], 0)
  }

  /// Waits for events for at most `nanoseconds` (nil: without limit) and hands each to `body`.
  ///
  /// Returns whether there may be more.
  @discardableResult
  func wait(nanoseconds: Int64?, _ body: (UInt64, DescriptorReadiness) -> Void) -> Bool {
    let count = waitForEvents(nanoseconds)
    for index in 0..<max(0, Int(count)) {
      let event = unsafe events[index]
      unsafe body(event.data.u64, DescriptorReadiness(event.events))
    }
    return count == Self.eventCountMax
  }

  /// Makes a `wait` return, now or the next time.
  ///
  /// Callable from any thread.
  func wake() {
    var one: UInt64 = 1
    _ = unsafe write(wakeDescriptor.number, &one, MemoryLayout<UInt64>.size)
  }

  /// Takes the wake-up back after `wait` reported it.
  func clearWake() {
    var value: UInt64 = 0
    _ = unsafe read(wakeDescriptor.number, &value, MemoryLayout<UInt64>.size)
  }

  private func waitForEvents(_ nanoseconds: Int64?) -> Int32 {
    guard let nanoseconds else { return waitForEvents(milliseconds: -1) }
    guard nanoseconds > 0 else { return waitForEvents(milliseconds: 0) }
    if waitsPrecisely.load(ordering: .relaxed) {
      let count = waitPrecisely(nanoseconds)
      guard count < 0, errno == ENOSYS else { return count }
      // Linux before 5.11 and valgrind do not have it, and will not have it the next time either.
      waitsPrecisely.store(false, ordering: .relaxed)
    }
    // Rounded up: a loop that wakes before its timer is due would spin until it is.
    let milliseconds = (nanoseconds - 1) / 1_000_000 + 1
    return waitForEvents(milliseconds: Int32(clamping: milliseconds))
  }

  /// epoll_pwait2(2) takes nanoseconds; epoll_wait rounds a short wait up to a millisecond.
  private func waitPrecisely(_ nanoseconds: Int64) -> Int32 {
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000),
      tv_nsec: Int(nanoseconds % 1_000_000_000)
    )
    let countMax = Int32(Self.eventCountMax)
    return unsafe preciseWait(descriptor.number, events.baseAddress, countMax, &time, nil)
  }

  private func waitForEvents(milliseconds: Int32) -> Int32 {
    let countMax = Int32(Self.eventCountMax)
    return unsafe epoll_wait(descriptor.number, events.baseAddress, countMax, milliseconds)
  }

  private func control(
    _ operation: Int32,
    _ number: Int32,
    _ interest: DescriptorReadiness,
    _ name: UInt64
  ) throws(SyscallError) {
    var event = unsafe epoll_event(events: interest.epollEvents, data: epoll_data_t(u64: name))
    let epoll = descriptor.number
    try Syscall.check("epoll_ctl") { unsafe epoll_ctl(epoll, operation, number, &event) }
  }
}

extension DescriptorReadiness {
  fileprivate init(_ events: UInt32) {
    self = []
    if events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0 { insert(.readable) }
    if events & EPOLLOUT.rawValue != 0 { insert(.writable) }
    if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { insert(.hangUp) }
  }

  /// EPOLLERR and EPOLLHUP are always reported and need not be asked for (epoll_ctl(2)).
  fileprivate var epollEvents: UInt32 {
    var events: UInt32 = 0
    if contains(.readable) { events |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
    if contains(.writable) { events |= EPOLLOUT.rawValue }
    return events
  }
}
