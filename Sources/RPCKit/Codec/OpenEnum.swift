/// A protobuf enum: a number, some of which have names.
///
/// Open because a peer with a newer contract sends numbers that this program has no name for, and
/// they must survive being read and written again.
public protocol OpenEnum: RawRepresentable, Hashable, Sendable, CustomStringConvertible
where RawValue == Int32 {
  /// Makes a value of any number.
  init(rawValue: Int32)

  /// The name in the contract, or nil for a number that it does not name.
  var name: StaticString? { get }
}

extension OpenEnum {
  /// The name in the contract, or the number.
  public var description: String { name.map { "\($0)" } ?? "\(rawValue)" }
}
