import CNghttp2

/// Reads the fields that a server compressed (RFC 7541), by the library's own reader.
@safe
final class FieldInflater {
  private var inflater: OpaquePointer?

  init() {
    unsafe inflater = nil
    let result = unsafe nghttp2_hd_inflate_new(&inflater)
    precondition(result == 0, "out of memory")
  }

  deinit { unsafe nghttp2_hd_inflate_del(inflater) }

  /// The fields of one whole block, as far as it can be read.
  func inflate(_ block: [UInt8]) -> [(String, String)] {
    var fields: [(String, String)] = []
    unsafe block.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      var offset = 0
      while true {
        var pair = unsafe nghttp2_nv()
        var flags: Int32 = 0
        let start = unsafe UnsafeMutablePointer(mutating: base + offset)
        let left = bytes.count - offset
        let count = unsafe nghttp2_hd_inflate_hd(inflater, &pair, &flags, start, left, 1)
        guard count >= 0 else { return }
        offset += count
        if UInt32(flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0 {
          fields.append(
            unsafe (text(pair.name, pair.namelen), text(pair.value, pair.valuelen))
          )
        }
        if UInt32(flags) & NGHTTP2_HD_INFLATE_FINAL.rawValue != 0 { break }
        // A block that ends in the middle of a field.
        if count == 0 { break }
      }
      unsafe nghttp2_hd_inflate_end_headers(inflater)
    }
    return fields
  }

  private func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
    unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
