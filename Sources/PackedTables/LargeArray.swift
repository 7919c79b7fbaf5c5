/// An array of numbers, or of structs of them, that asks for large pages once it is large.
///
/// A decision among a million devices reads a dozen places far apart. With pages of 4 KiB the
/// processor looks up the address of each one as well, in tables that do not fit into its caches either;
/// with pages of 2 MiB (madvise(2), MADV_HUGEPAGE) it does not. Arrays of the standard library can have
/// such pages only by a setting of the whole process (`glibc.malloc.hugetlb`), which nobody makes.
///
/// Copies share memory until one is changed, as with `Array`, and an index beyond the end traps.
///
/// `@unchecked Sendable`: memory is written only by an array that alone refers to it.
@safe
@usableFromInline
package struct LargeArray<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  /// The memory; freed with the last copy.
  @safe
  @usableFromInline
  final class Storage {
    @usableFromInline let pages: MemoryPages
    @usableFromInline let base: UnsafeMutablePointer<Element>
    @usableFromInline let capacity: Int

    @inlinable
    init(capacity: Int) {
      let (byteCount, overflows) = capacity.multipliedReportingOverflow(
        by: MemoryLayout<Element>.stride
      )
      precondition(!overflows, "an array of more bytes than an address space has")
      pages = MemoryPages(byteCount: byteCount)
      unsafe base = pages.base.bindMemory(to: Element.self, capacity: capacity)
      self.capacity = capacity
    }
  }

  @usableFromInline var storage: Storage
  /// The storage's, so that reading an element is one step.
  @usableFromInline var base: UnsafeMutablePointer<Element>
  /// How many elements there are.
  @usableFromInline package private(set) var count: Int

  /// An array of equal elements.
  @inlinable
  package init(repeating element: Element, count: Int) {
    storage = Storage(capacity: max(count, 4))
    unsafe base = storage.base
    self.count = count
    unsafe base.initialize(repeating: element, count: count)
  }

  /// An array without elements.
  @inlinable
  package init() {
    storage = Storage(capacity: 4)
    unsafe base = storage.base
    count = 0
  }

  /// The places of all elements.
  @inlinable package var indices: Range<Int> { 0..<count }

  /// An element.
  @inlinable
  @inline(__always)
  package subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count, "an index beyond the array")
      return unsafe base[index]
    }
    _modify {
      precondition(index >= 0 && index < count, "an index beyond the array")
      makeUnique(capacity: count)
      yield unsafe &base[index]
    }
  }

  /// Adds an element.
  @inlinable
  package mutating func append(_ element: Element) {
    makeUnique(capacity: count + 1)
    unsafe (base + count).initialize(to: element)
    count += 1
  }

  /// Adds equal elements.
  @inlinable
  package mutating func append(repeating element: Element, count added: Int) {
    precondition(added >= 0, "fewer than no elements")
    makeUnique(capacity: count + added)
    unsafe (base + count).initialize(repeating: element, count: added)
    count += added
  }

  /// How many of the elements are so.
  @inlinable
  package func count(where isSo: (Element) -> Bool) -> Int {
    var found = 0
    for index in indices where isSo(self[index]) { found += 1 }
    return found
  }

  /// Has memory of its own, for so many elements at least.
  @inlinable
  @inline(__always)
  mutating func makeUnique(capacity: Int) {
    guard !isKnownUniquelyReferenced(&storage) || capacity > storage.capacity else { return }
    move(toCapacity: capacity)
  }

  @inlinable
  @inline(never)
  mutating func move(toCapacity capacity: Int) {
    let isFull = capacity > storage.capacity
    let moved = Storage(capacity: isFull ? max(capacity, storage.capacity * 2) : storage.capacity)
    unsafe moved.base.update(from: base, count: count)
    storage = moved
    unsafe base = moved.base
  }
}
