extension [UInt8] {
  /// Takes these bytes in place of its own, in one memcpy(3) and in the same memory if that is enough.
  package mutating func replaceAll(with bytes: Span<UInt8>) {
    removeAll(keepingCapacity: true)
    unsafe bytes.withUnsafeBufferPointer { source in unsafe append(contentsOf: source) }
  }
}
