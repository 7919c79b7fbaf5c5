internal import Glibc

/// A growable queue of bytes: written at the end, read from the front.
///
/// Owns its memory; holds none while it was never written or after `release()`. Not thread-safe,
/// not copyable: each buffer has one owner.
@safe
public struct ByteBuffer: ~Copyable {
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  private var readOffset = 0
  private var writeOffset = 0

  private static let initialCapacity = 4096

  /// Makes an empty buffer without memory.
  public init() {
    unsafe base = nil
  }

  /// Makes an empty buffer with memory for so many bytes, for one that will hold few.
  public init(capacity: Int) {
    precondition(capacity > 0, "room for no byte")
    unsafe base = Self.allocate(capacity)
    self.capacity = capacity
  }

  deinit {
    unsafe free(base)
  }

  /// Takes memory by malloc(3), which aligns it for any use: the runtime's own call asks for alignment, which costs four
  /// times as much.
  private static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    guard let memory = unsafe malloc(byteCount) else { fatalError("out of memory") }
    return unsafe memory
  }

  /// Bytes that wait to be read.
  public var byteCount: Int { writeOffset - readOffset }

  /// Whether nothing waits to be read.
  public var isEmpty: Bool { writeOffset == readOffset }

  /// Bytes of memory held.
  public var allocatedByteCount: Int { capacity }

  /// Adds bytes at the end.
  public mutating func append(_ bytes: Span<UInt8>) {
    unsafe appendUninitialized(bytes.count) { target in
      unsafe bytes.withUnsafeBytes { source in
        if source.count > 0 { unsafe target.copyMemory(from: source) }
      }
    }
  }

  /// Adds one byte at the end.
  public mutating func append(_ byte: UInt8) {
    unsafe appendUninitialized(1) { target in unsafe target[0] = byte }
  }

  /// Adds a big-endian number at the end.
  public mutating func append(bigEndian value: UInt32) {
    unsafe appendUninitialized(4) { target in
      unsafe target.storeBytes(of: value.bigEndian, as: UInt32.self)
    }
  }

  /// Adds two big-endian numbers at the end, which is what the header of a frame is.
  mutating func append(bigEndian first: UInt64, _ second: UInt16) {
    unsafe appendUninitialized(10) { target in
      unsafe target.storeBytes(of: first.bigEndian, as: UInt64.self)
      unsafe target.storeBytes(of: second.bigEndian, toByteOffset: 8, as: UInt16.self)
    }
  }

  /// Adds `count` bytes that `body` fills in completely.
  ///
  /// The only door to raw memory; for wrappers of C encoders and system calls.
  public mutating func appendUninitialized<Failure: Error>(
    _ count: Int,
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    reserve(count)
    guard let base = unsafe base else { return }
    try unsafe body(UnsafeMutableRawBufferPointer(start: base + writeOffset, count: count))
    writeOffset += count
  }

  /// Adds up to `count` bytes; `body` says how many it filled in.
  public mutating func appendUpTo(
    _ count: Int,
    _ body: (UnsafeMutableRawBufferPointer) -> Int
  ) -> Int {
    reserve(count)
    guard let base = unsafe base else { return 0 }
    let written = unsafe body(
      UnsafeMutableRawBufferPointer(start: base + writeOffset, count: count)
    )
    precondition(written >= 0 && written <= count, "a writer claims more than its room")
    writeOffset += written
    return written
  }

  /// Overwrites bytes that were already added, `offset` bytes past the front.
  public mutating func replace(at offset: Int, bigEndian value: UInt32) {
    precondition(offset >= 0 && offset + 4 <= byteCount, "replacing bytes that are not there")
    guard let base = unsafe base else { return }
    unsafe (base + readOffset + offset).storeBytes(of: value.bigEndian, as: UInt32.self)
  }

  /// Shows the waiting bytes.
  public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let base = unsafe base else { return try body(Span()) }
    let bytes = unsafe UnsafeRawBufferPointer(start: base + readOffset, count: byteCount)
    return try unsafe body(Span(_unsafeBytes: bytes))
  }

  /// Shows the waiting bytes as raw memory, for system calls and C libraries.
  public borrowing func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    guard let base = unsafe base else {
      return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return unsafe body(UnsafeRawBufferPointer(start: base + readOffset, count: byteCount))
  }

  /// Takes `count` bytes off the front.
  public mutating func consume(_ count: Int) {
    precondition(count >= 0 && count <= byteCount, "consuming bytes that are not there")
    readOffset += count
    if readOffset == writeOffset {
      readOffset = 0
      writeOffset = 0
    }
  }

  /// Takes bytes off the end, back to `count` waiting bytes: undoes a half-written frame.
  public mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= byteCount, "truncating to bytes that are not there")
    writeOffset = readOffset + count
  }

  /// Gives the memory back.
  ///
  /// Waiting bytes are dropped.
  public mutating func release() {
    unsafe free(base)
    unsafe base = nil
    capacity = 0
    readOffset = 0
    writeOffset = 0
  }

  /// Memory that is never worth moving what waits for.
  private static let keptCapacity = 64 << 10

  /// Gives back memory that is far more than what waits, as the other end takes slowly what came in a burst.
  public mutating func shrink() {
    guard capacity > Self.keptCapacity, byteCount < capacity / 4 else { return }
    var smaller = ByteBuffer(capacity: max(2 * byteCount, Self.initialCapacity))
    withBytes { smaller.append($0) }
    swap(&self, &smaller)
  }

  /// Makes room for `count` more bytes: first by moving what waits to the front, then by doubling.
  @inline(__always)
  public mutating func reserve(_ count: Int) {
    precondition(count >= 0, "negative room")
    if capacity - writeOffset < count { makeRoom(count) }
  }

  private mutating func makeRoom(_ count: Int) {
    let waiting = byteCount
    if let base = unsafe base, readOffset > 0, capacity - waiting >= count, readOffset >= waiting {
      unsafe base.copyMemory(from: base + readOffset, byteCount: waiting)
    } else {
      var newCapacity = max(capacity, Self.initialCapacity)
      while newCapacity - waiting < count { newCapacity *= 2 }
      let newBase = unsafe Self.allocate(newCapacity)
      if let base = unsafe base {
        unsafe newBase.copyMemory(from: base + readOffset, byteCount: waiting)
        unsafe free(base)
      }
      unsafe base = newBase
      capacity = newCapacity
    }
    readOffset = 0
    writeOffset = waiting
  }
}
