import Synchronization

/// A fixed row of atomic counters in one allocation.
///
/// The only place of the metrics that touches raw memory: an array of atomics has no safe spelling,
/// because atomics cannot move. Every access is bounds-checked.
@safe
struct AtomicCells: ~Copyable, Sendable {
  /// Never written after `init`; the atomics behind it are what makes sharing safe.
  private nonisolated(unsafe) let base: UnsafeMutablePointer<Atomic<UInt64>>
  let count: Int

  /// Makes `count` cells that hold zero.
  init(count: Int) {
    precondition(count > 0, "a row of atomic cells needs at least one cell")
    let base = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: count)
    for index in 0..<count { unsafe (base + index).initialize(to: Atomic(0)) }
    unsafe self.base = unsafe base
    self.count = count
  }

  deinit {
    unsafe base.deinitialize(count: count)
    unsafe base.deallocate()
  }

  /// Adds to one cell; wraps after 2^64.
  ///
  /// No ordering with other memory is promised.
  @inline(__always)
  func add(_ amount: UInt64, at index: Int) {
    precondition(index >= 0 && index < count, "atomic cell out of range")
    unsafe base[index].wrappingAdd(amount, ordering: .relaxed)
  }

  /// Reads one cell.
  func load(_ index: Int) -> UInt64 {
    precondition(index >= 0 && index < count, "atomic cell out of range")
    return unsafe base[index].load(ordering: .relaxed)
  }
}
