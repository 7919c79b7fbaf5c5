internal import CNghttp2

/// Fields in the shape of libnghttp2, which copies what it is given; in memory that is lent for one call.
@unsafe
struct NameValuePairs {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let pairs: UnsafeMutableBufferPointer<nghttp2_nv>
  private var byteCount = 0
  private var count = 0

  private init(
    bytes: UnsafeMutableBufferPointer<UInt8>,
    pairs: UnsafeMutableBufferPointer<nghttp2_nv>
  ) {
    unsafe (self.bytes, self.pairs) = (bytes, pairs)
  }

  /// Lends the fields that `fill` adds to `body`: no more of them than `count`, and no more bytes of names and values.
  static func lend(
    count: Int,
    byteCount: Int,
    _ fill: (inout NameValuePairs) -> Void,
    to body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> some Any
  ) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount + 1) { bytes in
      unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: count + 1) { pairs in
        var list = unsafe NameValuePairs(bytes: bytes, pairs: pairs)
        unsafe fill(&list)
        _ = unsafe body(UnsafeMutableBufferPointer(rebasing: pairs[..<list.count]))
      }
    }
  }

  /// Adds a field.
  mutating func add(_ name: String, _ value: String) {
    unsafe copy(name.utf8.span)
    unsafe copy(value.utf8.span)
    unsafe append(nameByteCount: name.utf8.count, valueByteCount: value.utf8.count, byteCount)
  }

  /// Adds fields that are put together already.
  mutating func add(_ common: CommonFields) {
    let text = common.text
    unsafe copy(text.span)
    var end = unsafe byteCount - text.count
    for (name, value) in common.lengths {
      end += name + value
      unsafe append(nameByteCount: name, valueByteCount: value, end)
    }
  }

  private mutating func copy(_ text: Span<UInt8>) {
    let place = unsafe UnsafeMutableBufferPointer(rebasing: bytes[byteCount...])
    unsafe text.withUnsafeBufferPointer { text in
      unsafe byteCount += place.update(fromContentsOf: text)
    }
  }

  /// Adds the field whose name and value end at a place in `bytes`.
  private mutating func append(nameByteCount: Int, valueByteCount: Int, _ end: Int) {
    guard let base = unsafe bytes.baseAddress else { return }
    let value = unsafe base + end - valueByteCount
    unsafe pairs.initializeElement(
      at: count,
      to: nghttp2_nv(
        name: value - nameByteCount,
        value: value,
        namelen: nameByteCount,
        valuelen: valueByteCount,
        flags: 0
      )
    )
    unsafe count += 1
  }
}

extension [HTTPFields.Field] {
  /// Lends the fields as libnghttp2 has them.
  func withNameValuePairs(
    _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> some Any
  ) {
    unsafe NameValuePairs.lend(
      count: count,
      byteCount: byteCount,
      { pairs in
        for field in self { unsafe pairs.add(field.name, field.value) }
      },
      to: body
    )
  }

  /// Bytes of all names and values.
  fileprivate var byteCount: Int {
    reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
  }
}

extension HTTPResponseHead {
  /// Lends the head and the date of an answer as libnghttp2 has them.
  func withNameValuePairs(
    date: String,
    _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> some Any
  ) {
    let status = status == 200 ? "200" : String(status)
    let length = contentLength.map { String($0) } ?? ""
    // The closure holds these and not the whole head, of which it would copy all parts.
    let (common, own) = (common, fields.fields)
    let names = ":status".utf8.count + "content-length".utf8.count + "date".utf8.count
    let values = status.utf8.count + length.utf8.count + date.utf8.count
    unsafe NameValuePairs.lend(
      count: 3 + own.count + (common?.lengths.count ?? 0),
      byteCount: names + values + own.byteCount + (common?.text.count ?? 0),
      { pairs in
        unsafe pairs.add(":status", status)
        if let common { unsafe pairs.add(common) }
        for field in own { unsafe pairs.add(field.name, field.value) }
        if !length.isEmpty { unsafe pairs.add("content-length", length) }
        unsafe pairs.add("date", date)
      },
      to: body
    )
  }
}
