internal import CNghttp2

extension [HTTPFields.Field] {
  /// Lends the fields in the shape of libnghttp2, which copies what it is given.
  func withNameValuePairs(
    _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> some Any
  ) {
    let byteCount = reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount + 1) { bytes in
      unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: count) { pairs in
        var offset = 0
        for (index, field) in enumerated() {
          let name = unsafe field.name.copy(to: bytes, &offset)
          let value = unsafe field.value.copy(to: bytes, &offset)
          unsafe pairs.initializeElement(
            at: index,
            to: nghttp2_nv(
              name: name,
              value: value,
              namelen: field.name.utf8.count,
              valuelen: field.value.utf8.count,
              flags: 0
            )
          )
        }
        _ = unsafe body(pairs)
      }
    }
  }
}

extension String {
  /// Puts the text into `bytes` from `offset` on, and returns where it begins.
  fileprivate func copy(
    to bytes: UnsafeMutableBufferPointer<UInt8>,
    _ offset: inout Int
  ) -> UnsafeMutablePointer<UInt8>? {
    let start = offset
    unsafe utf8.span.withUnsafeBufferPointer { text in
      let place = unsafe UnsafeMutableBufferPointer(rebasing: bytes[offset...])
      offset += unsafe place.update(fromContentsOf: text)
    }
    return unsafe bytes.baseAddress.map { unsafe $0 + start }
  }
}
