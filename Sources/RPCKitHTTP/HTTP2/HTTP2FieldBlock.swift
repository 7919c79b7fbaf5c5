internal import RPCKit

/// The fields of one request, or its trailers, as they are read: no more of them than the limits allow.
struct HTTP2FieldBlock {
  let streamID: UInt32
  /// When the block began.
  let received: MonotonicInstant
  private(set) var method = ""
  private(set) var scheme = ""
  private(set) var path = ""
  private(set) var authority: String?
  private(set) var hosts: [String] = []
  private(set) var fields = HTTPFields()
  /// Whether there were more fields, or larger ones, than allowed; none is kept then.
  private(set) var isTooLarge = false
  /// Whether the request ends with the block.
  var isEnd = false
  private var byteCount = 0
  private var count = 0

  init(streamID: UInt32, received: MonotonicInstant) {
    self.streamID = streamID
    self.received = received
  }

  /// Counts a field; false if it is one too many, or one byte.
  ///
  /// Asked before the text of the field is made: a block of a few kibibytes can stand for fifty mebibytes of
  /// fields (RFC 7541 section 7.3).
  mutating func admits(nameByteCount: Int, valueByteCount: Int, _ limits: HTTPLimits) -> Bool {
    count += 1
    // As HTTP/2 counts them (RFC 9113 section 6.5.2).
    byteCount += nameByteCount + valueByteCount + 32
    guard byteCount <= limits.fieldByteCountMax, count <= limits.fieldCountMax else {
      isTooLarge = true
      fields = HTTPFields()
      return false
    }
    return true
  }

  /// Keeps a field that the library found valid.
  mutating func append(_ name: String, _ value: String) {
    switch name {
    case ":method": method = value
    case ":scheme": scheme = value
    case ":path": path = value
    case ":authority": authority = value
    case "host": hosts.append(value)
    default: fields.append(name, value)
    }
  }
}
