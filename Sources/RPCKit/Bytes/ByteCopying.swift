extension [UInt8] {
  /// Takes these bytes in place of its own, in one memcpy(3) and in the same memory if that is enough.
  package mutating func replaceAll(with bytes: Span<UInt8>) {
    removeAll(keepingCapacity: true)
    append(bytes)
  }

  /// Adds bytes at the end, in one memcpy(3).
  package mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { source in unsafe append(contentsOf: source) }
  }

  /// Takes these bytes in place of as many of its own from `start` on, in one memcpy(3).
  package mutating func overwrite(from start: Int, with bytes: Span<UInt8>) {
    precondition(start >= 0 && bytes.count <= count - start, "bytes to overwrite are missing")
    unsafe withUnsafeMutableBufferPointer { own in
      let place = unsafe UnsafeMutableBufferPointer(rebasing: own[start...])
      _ = unsafe bytes.withUnsafeBufferPointer { source in
        unsafe place.update(fromContentsOf: source)
      }
    }
  }
}
