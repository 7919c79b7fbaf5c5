internal import RPCKit

/// The fields of one request, or its trailers, as they are read: no more of them than the limits allow.
///
/// A class, since it goes through several hands and a copy would retain everything in it.
final class HTTP2FieldBlock {
  let streamID: UInt32
  /// When the block began.
  let received: MonotonicInstant
  private(set) var method = ""
  private(set) var scheme = ""
  private(set) var path = ""
  private(set) var authority: String?
  private(set) var hosts: [String] = []
  private(set) var fields = HTTPFields()
  /// Whether there were more fields, or larger ones, than allowed; of those only the type of the content is kept,
  /// by which the request is refused in its own way.
  private(set) var isTooLarge = false
  /// Whether there were so many that their client is not worth another answer.
  private(set) var isBeyondMeasure = false
  /// Whether a value is not UTF-8.
  private(set) var isMalformed = false
  /// Whether there is no room for the request: nothing of it is kept, and it is refused.
  var isUnwanted = false
  /// Whether the request ends with the block.
  var isEnd = false
  private var byteCount = 0
  /// Fields that were counted.
  private(set) var count = 0

  /// The memory while it is not complete, in bytes, about.
  var keptByteCount: Int {
    HTTPExchange.emptyByteCount + (isTooLarge || isUnwanted ? 0 : byteCount)
  }

  init(streamID: UInt32, received: MonotonicInstant) {
    self.streamID = streamID
    self.received = received
  }

  /// Counts a field; false if it is one too many, or one byte.
  ///
  /// Asked before the text of the field is made: a block of a few kibibytes can stand for fifty mebibytes of
  /// fields (RFC 7541 section 7.3).
  func admits(nameByteCount: Int, valueByteCount: Int, _ limits: HTTPLimits) -> Bool {
    count += 1
    // As HTTP/2 counts them (RFC 9113 section 6.5.2).
    byteCount += nameByteCount + valueByteCount + 32
    guard byteCount <= limits.fieldByteCountMax, count <= limits.fieldCountMax else {
      if !isTooLarge { drop() }
      isBeyondMeasure = byteCount > limits.droppedFieldByteCountMax
      return false
    }
    return true
  }

  private func drop() {
    isTooLarge = true
    let type = fields.only("content-type")
    fields = HTTPFields()
    if let type { fields.append("content-type", type) }
  }

  /// Notes a field that is not admitted.
  func passOver(_ name: String, _ value: String) {
    if name == "content-type" { fields.append(name, value) }
  }

  /// Notes that a value cannot be handed on unchanged.
  func noteMalformed() { isMalformed = true }

  /// Keeps a field that the library found valid.
  func take(_ field: HTTPFields.Field) {
    let name = field.name.utf8.span
    if name.count > 1, name[0] == UInt8(ascii: ":") {
      set(name[1], field.value)
    } else if name.isEqual(to: Self.host.utf8.span) {
      hosts.append(field.value)
    } else {
      fields.append(received: field)
    }
  }

  private static let host = "host"

  /// Keeps a pseudo-header field that the library found valid, recognized by the first letter of its name.
  private func set(_ letter: UInt8, _ value: String) {
    switch letter {
    case UInt8(ascii: "m"): method = value
    case UInt8(ascii: "s"): scheme = value
    case UInt8(ascii: "p"): path = value
    case UInt8(ascii: "a"): authority = value
    // The library refuses all others.
    default: break
    }
  }
}
