/// The wrapping of deflated bytes: a header and a checksum.
package enum CompressionFormat: Hashable, Sendable, CaseIterable {
  /// RFC 1950, which HTTP and gRPC call `deflate`.
  case zlib
  /// RFC 1952.
  case gzip

  /// The `windowBits` of zlib: the logarithm of its largest window, and 16 more for gzip.
  var windowBits: CInt {
    switch self {
    case .zlib: 15
    case .gzip: 15 + 16
    }
  }
}
