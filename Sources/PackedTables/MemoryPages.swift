internal import Glibc

/// Memory from the system, in large pages when it is large enough for them.
@safe
@usableFromInline
final class MemoryPages {
  /// Where it begins; aligned for everything.
  @usableFromInline let base: UnsafeMutableRawPointer
  private let mappedByteCount: Int

  /// A large page of this processor (x86-64 and most of AArch64).
  private static let largePageByteCount = 2 << 20
  private static let alignment = 64

  /// Takes memory, as a rule more than is asked for; ends the process when there is none, as everything
  /// in Swift does.
  @usableFromInline
  init(byteCount: Int) {
    let size = Self.largePageByteCount
    guard byteCount >= size else {
      mappedByteCount = 0
      unsafe base = .allocate(byteCount: max(byteCount, 1), alignment: Self.alignment)
      return
    }
    let rounded = (byteCount + size - 1) / size * size
    // One page more than is needed, and what lies before the first boundary given back.
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    let mapped = unsafe mmap(nil, rounded + size, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
      fatalError("no memory for \(byteCount) bytes: mmap(2) failed with \(errno)")
    }
    let before = (size - Int(bitPattern: mapped) % size) % size
    if before > 0 { unsafe munmap(mapped, before) }
    let start = unsafe mapped + before
    unsafe munmap(start + rounded, size - before)
    // Refused by systems without large pages, which is no reason not to continue.
    _ = unsafe madvise(start, rounded, MADV_HUGEPAGE)
    unsafe base = start
    mappedByteCount = rounded
  }

  deinit {
    if mappedByteCount > 0 {
      unsafe munmap(base, mappedByteCount)
    } else {
      unsafe base.deallocate()
    }
  }
}
