internal import COpenSSL

/// Bytes that are overwritten when they are no longer needed, copies made by growing included.
@safe
struct SecretBytes: ~Copyable {
  private var memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init() {
    unsafe memory = .allocate(byteCount: 8 * 1024, alignment: 1)
  }

  deinit {
    unsafe Self.discard(memory)
  }

  /// Adds up to as many bytes as there is room for; `body` says how many it filled in.
  ///
  /// There is always room for some.
  mutating func append(_ body: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    if unsafe count == memory.count { grow(to: unsafe 2 * memory.count) }
    let room = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...])
    let written = unsafe body(room)
    precondition(written <= room.count, "a writer claims more than its room")
    count += max(0, written)
    return written
  }

  /// Adds all of `bytes`.
  mutating func append(_ bytes: [UInt8]) {
    if unsafe memory.count - count < bytes.count { grow(to: count + bytes.count) }
    unsafe bytes.withUnsafeBytes { source in
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: source)
    }
    count += bytes.count
  }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
  }

  private mutating func grow(to capacity: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
    unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
    unsafe Self.discard(memory)
    unsafe memory = larger
  }

  private static func discard(_ memory: UnsafeMutableRawBufferPointer) {
    // Not `memset`, which a compiler may leave out before a deallocation.
    unsafe OPENSSL_cleanse(memory.baseAddress, memory.count)
    unsafe memory.deallocate()
  }
}
