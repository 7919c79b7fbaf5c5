internal import CNghttp2

/// Fields in the shape of libnghttp2, in memory that is lent for one call: it copies them, but for what is known to stay.
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
  ///
  /// Inlined, as a closure that is called would retain everything it uses.
  @inline(__always)
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
    let start = unsafe byteCount
    unsafe copy(value.utf8.span)
    guard let base = unsafe bytes.baseAddress else { return }
    unsafe append(base + start - name.utf8.count, name.utf8.count, valueStart: start)
  }

  /// Adds a field whose name is a literal of the program, which stays where it is.
  mutating func add(_ name: StaticString, _ value: String) {
    let start = unsafe byteCount
    unsafe copy(value.utf8.span)
    unsafe append(name, valueStart: start)
  }

  /// As the other `add`, with a number that is not below zero.
  mutating func add(_ name: StaticString, _ number: Int) {
    let start = unsafe byteCount
    unsafe appendDigits(of: number)
    unsafe append(name, valueStart: start)
  }

  /// Adds fields that the caller holds until they are in a frame.
  mutating func add(_ kept: KeptText) {
    unsafe kept.forEach { place, name, value in
      unsafe pairs.initializeElement(
        at: count,
        to: nghttp2_nv(
          name: place,
          value: place + name,
          namelen: name,
          valuelen: value,
          flags: Self.keptFlags
        )
      )
      unsafe count += 1
    }
  }

  private static let keptFlags = UInt8(
    NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
  )

  private mutating func copy(_ text: Span<UInt8>) {
    let place = unsafe UnsafeMutableBufferPointer(rebasing: bytes[byteCount...])
    unsafe text.withUnsafeBufferPointer { text in
      unsafe byteCount += place.update(fromContentsOf: text)
    }
  }

  private mutating func appendDigits(of number: Int) {
    var divisor = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      unsafe bytes[byteCount] = UInt8(ascii: "0") + UInt8(number / divisor % 10)
      unsafe byteCount += 1
      divisor /= 10
    }
  }

  private mutating func append(_ name: StaticString, valueStart: Int) {
    let flags = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
    // The library has no constant pointers, and changes nothing.
    let place = unsafe UnsafeMutablePointer(mutating: name.utf8Start)
    unsafe append(place, name.utf8CodeUnitCount, valueStart: valueStart, flags: flags)
  }

  /// Adds the field whose value is the end of `bytes`.
  private mutating func append(
    _ name: UnsafeMutablePointer<UInt8>,
    _ nameByteCount: Int,
    valueStart: Int,
    flags: UInt8 = 0
  ) {
    guard let base = unsafe bytes.baseAddress else { return }
    unsafe pairs.initializeElement(
      at: count,
      to: nghttp2_nv(
        name: name,
        value: base + valueStart,
        namelen: nameByteCount,
        valuelen: byteCount - valueStart,
        flags: flags
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

extension CommonFields {
  /// Lends the fields as libnghttp2 has them; the caller holds this until they are in a frame.
  func withNameValuePairs(
    _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> some Any
  ) {
    unsafe NameValuePairs.lend(
      count: text.count,
      byteCount: 0,
      { pairs in unsafe pairs.add(text) },
      to: body
    )
  }
}

extension HTTPResponseHead {
  /// Lends the head and the date of an answer as libnghttp2 has them; the caller holds `common` until they are in a
  /// frame.
  func withNameValuePairs(
    date: String,
    _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> some Any
  ) {
    // The closure holds these and not the whole head, of which it would copy all parts.
    let (status, length) = (status, contentLength)
    let (common, own) = (common?.text, fields.fields)
    unsafe NameValuePairs.lend(
      count: 3 + own.count + (common?.count ?? 0),
      byteCount: 2 * Self.digitCountMax + date.utf8.count + own.byteCount,
      { pairs in
        if status == 200 {
          unsafe pairs.add(Self.ok)
        } else {
          unsafe pairs.add(":status", status)
        }
        if let common { unsafe pairs.add(common) }
        for field in own { unsafe pairs.add(field.name, field.value) }
        if let length { unsafe pairs.add("content-length", max(0, length)) }
        unsafe pairs.add("date", date)
      },
      to: body
    )
  }

  private static let ok = KeptText([":status": "200"])

  /// Of numbers of 64 bits.
  private static let digitCountMax = 19
}
