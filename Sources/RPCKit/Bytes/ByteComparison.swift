internal import Glibc

extension Span<UInt8> {
  /// Whether these are the same bytes, in one memcmp(3): a loop over a span checks each index.
  func isEqual(to other: [UInt8]) -> Bool { isEqual(to: other.span) }

  /// Whether these are the same bytes.
  package func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { left in
      unsafe other.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return unsafe memcmp(left, right, other.count) == 0
      }
    }
  }

  /// Where a byte stands in a part, in one memchr(3).
  package func place(of byte: UInt8, in part: Range<Int>) -> Int? {
    let bytes = extracting(part)
    return unsafe bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress,
        let found = unsafe memchr(base, Int32(byte), bytes.count)
      else { return nil }
      return unsafe part.lowerBound + (UnsafeRawPointer(found) - base)
    }
  }
}
