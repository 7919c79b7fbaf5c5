internal import CNghttp2

/// Reads blocks of fields: libnghttp2's HPACK (RFC 7541).
@safe
final class FieldInflater {
  private let inflater: OpaquePointer

  /// Begins with an empty table.
  init() {
    var inflater: OpaquePointer?
    guard unsafe nghttp2_hd_inflate_new(&inflater) == 0, let inflater = unsafe inflater else {
      preconditionFailure("out of memory")
    }
    unsafe self.inflater = inflater
  }

  deinit {
    unsafe nghttp2_hd_inflate_del(inflater)
  }

  /// Shows each field of a whole block; false when it is none.
  func read(_ block: Span<UInt8>, _ field: (Span<UInt8>, Span<UInt8>) -> Void) -> Bool {
    unsafe block.withUnsafeBufferPointer { bytes in
      var rest = unsafe bytes[...]
      while true {
        var pair = unsafe nghttp2_nv()
        var flags: CInt = 0
        let count = unsafe nghttp2_hd_inflate_hd2(
          inflater,
          &pair,
          &flags,
          UnsafeBufferPointer(rebasing: rest).baseAddress,
          rest.count,
          1
        )
        guard count >= 0 else { return false }
        unsafe rest = rest.dropFirst(count)
        if flags & CInt(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
          unsafe field(
            UnsafeBufferPointer(start: pair.name, count: pair.namelen).span,
            UnsafeBufferPointer(start: pair.value, count: pair.valuelen).span
          )
        }
        if flags & CInt(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
          return unsafe nghttp2_hd_inflate_end_headers(inflater) == 0
        }
        let isEmpty = unsafe rest.isEmpty
        guard flags & CInt(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 || !isEmpty
        else { return false }
      }
    }
  }
}
