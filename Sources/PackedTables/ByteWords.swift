extension Span<UInt8> {
  /// Eight bytes as one number, the first byte lowest.
  ///
  /// One load instead of eight: what hashes or compares identifiers does it on every call. `offset + 8`
  /// must not be beyond the end; that is checked and traps.
  @inlinable
  @inline(__always)
  package func littleEndianWord(at offset: Int) -> UInt64 {
    // `RawSpan` checks the bounds; it is called unsafe for types whose bits may be invalid.
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Sixteen bytes as one number, those of the first word below those of the second.
  @inlinable
  @inline(__always)
  package func littleEndianPair(at offset: Int) -> UInt128 {
    // As `littleEndianWord`, with the bounds checked once for both.
    unsafe UInt128(
      littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt128.self)
    )
  }

  /// The last bytes from `offset` on, one to seven, as one number with zeros above them.
  @inlinable
  @inline(__always)
  package func littleEndianRest(at offset: Int) -> UInt64 {
    // The last eight bytes at once, and those that come before `offset` shifted out.
    if count >= 8 {
      let before = 8 &- (count &- offset)
      return littleEndianWord(at: count &- 8) &>> UInt64(truncatingIfNeeded: 8 &* before)
    }
    var word: UInt64 = 0
    var shift: UInt64 = 0
    for index in offset..<count {
      word |= UInt64(self[index]) &<< shift
      shift &+= 8
    }
    return word
  }
}
