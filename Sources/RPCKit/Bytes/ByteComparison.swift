internal import Glibc

extension Span<UInt8> {
  /// Whether these are the same bytes, in one memcmp(3): a loop over a span checks each index.
  func isEqual(to other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { left in
      unsafe other.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return unsafe memcmp(left, right, other.count) == 0
      }
    }
  }
}
