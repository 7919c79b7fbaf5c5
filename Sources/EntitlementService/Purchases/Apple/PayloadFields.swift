internal import ServiceKit

/// The fields of a payload.
///
/// All of them are optional in Apple's schema, and more may come: what is absent is nil, what is
/// unknown is not looked at. Apple's data is read leniently, as it was signed and nobody else can send it
/// better: numbers may be text and text may be a number, amounts may have a fraction. What only describes a
/// purchase is nil where it cannot be read; what decides on one is an error then.
struct PayloadFields {
  /// Bytes of an identifier or another short text, at most.
  static let textByteCountMax = 256
  /// The last millisecond of the year 9999: what a Timestamp can say.
  private static let instantMax = 253_402_300_799_999.0

  private let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  /// A short text that decides.
  func text(_ name: String) throws(AppleVerificationError) -> String? {
    guard let value = present(name) else { return nil }
    guard let text = value.string ?? value.integer.map(String.init),
      text.utf8.count <= Self.textByteCountMax
    else { throw .invalid(.malformed) }
    return text
  }

  /// A short text that describes.
  func word(_ name: String) -> String? {
    guard let text = present(name)?.string, text.utf8.count <= Self.textByteCountMax else {
      return nil
    }
    return text
  }

  /// A text of any length: data with a signature of its own.
  func signedData(_ name: String) throws(AppleVerificationError) -> String? {
    guard let value = present(name) else { return nil }
    guard let text = value.string else { throw .invalid(.malformed) }
    return text
  }

  /// A number that describes, without its fraction.
  func integer(_ name: String) -> Int64? {
    guard let value = present(name) else { return nil }
    if let exact = value.integer ?? value.string.flatMap({ Int64($0) }) { return exact }
    return double(value).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
  }

  /// A truth value; a word or a number may stand for it.
  func boolean(_ name: String) throws(AppleVerificationError) -> Bool? {
    guard let value = present(name) else { return nil }
    switch value {
    case .boolean(let boolean): return boolean
    case .string("true"), .string("1"): return true
    case .string("false"), .string("0"), .string(""): return false
    default:
      guard let number = value.integer else { throw .invalid(.malformed) }
      return number != 0
    }
  }

  /// Milliseconds since 1970, which some of Apple's data writes with a fraction.
  func instant(_ name: String) throws(AppleVerificationError) -> Int64? {
    guard let value = present(name) else { return nil }
    guard let milliseconds = double(value)?.rounded(), milliseconds >= 0 else {
      throw .invalid(.malformed)
    }
    return Int64(min(milliseconds, Self.instantMax))
  }

  /// An instant that describes.
  func knownInstant(_ name: String) -> Int64? { try? instant(name) }

  /// An object inside.
  func fields(_ name: String) throws(AppleVerificationError) -> PayloadFields? {
    guard let value = present(name) else { return nil }
    guard let object = value.object else { throw .invalid(.malformed) }
    return PayloadFields(object)
  }

  private func double(_ value: JSONValue) -> Double? {
    guard let double = value.number?.double ?? value.string.flatMap({ Double($0) }),
      double.isFinite
    else { return nil }
    return double
  }

  private func present(_ name: String) -> JSONValue? {
    guard let value = object[name], value != .null else { return nil }
    return value
  }
}
