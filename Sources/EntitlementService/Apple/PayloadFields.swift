internal import ServiceKit

/// The fields of a payload.
///
/// All of them are optional in Apple's schema, and more may come: what is absent is nil, what is
/// unknown is not looked at. A field that is there and of another kind is an error.
struct PayloadFields {
  /// Bytes of an identifier or another short text, at most.
  static let textByteCountMax = 256

  private let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  /// A short text.
  func text(_ name: String) throws(AppleVerificationError) -> String? {
    guard let text = try signedData(name) else { return nil }
    guard text.utf8.count <= Self.textByteCountMax else { throw .invalid(.malformed) }
    return text
  }

  /// A text of any length: data with a signature of its own.
  func signedData(_ name: String) throws(AppleVerificationError) -> String? {
    guard let value = present(name) else { return nil }
    guard let text = value.string else { throw .invalid(.malformed) }
    return text
  }

  /// A whole number.
  func integer(_ name: String) throws(AppleVerificationError) -> Int64? {
    guard let value = present(name) else { return nil }
    guard let integer = value.integer else { throw .invalid(.malformed) }
    return integer
  }

  /// A truth value.
  func boolean(_ name: String) throws(AppleVerificationError) -> Bool? {
    guard let value = present(name) else { return nil }
    guard let boolean = value.boolean else { throw .invalid(.malformed) }
    return boolean
  }

  /// Milliseconds since 1970, which some of Apple's data writes with a fraction.
  func instant(_ name: String) throws(AppleVerificationError) -> Int64? {
    guard let value = present(name) else { return nil }
    // The year 9999: what a Timestamp can say.
    guard let milliseconds = value.number?.double?.rounded(),
      (0...253_402_300_799_999).contains(milliseconds)
    else { throw .invalid(.malformed) }
    return Int64(milliseconds)
  }

  /// An object inside.
  func fields(_ name: String) throws(AppleVerificationError) -> PayloadFields? {
    guard let value = present(name) else { return nil }
    guard let object = value.object else { throw .invalid(.malformed) }
    return PayloadFields(object)
  }

  private func present(_ name: String) -> JSONValue? {
    guard let value = object[name], value != .null else { return nil }
    return value
  }
}
