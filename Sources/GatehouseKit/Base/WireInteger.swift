/// A number of 64 bits, which the services write as text; absent means none.
@propertyWrapper
public struct WireInteger: Codable, Hashable, Sendable {
  /// The number.
  public var wrappedValue: Int

  /// Makes a number.
  public init(wrappedValue: Int = 0) { self.wrappedValue = wrappedValue }

  /// Reads text, or a number.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self), let number = Int(text) {
      wrappedValue = number
    } else {
      wrappedValue = try container.decode(Int.self)
    }
  }

  /// Writes text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(wrappedValue))
  }
}

extension KeyedDecodingContainer {
  /// Reads a number that may be absent; synthesized decoding takes this instead of the general one.
  func decode(_ type: WireInteger.Type, forKey key: Key) throws -> WireInteger {
    try decodeIfPresent(type, forKey: key) ?? WireInteger()
  }
}
