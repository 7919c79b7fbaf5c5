public import RPCKit

/// A field of an object that an update cannot change.
public struct ReadOnlyField<Object: Message>: Sendable {
  /// Its name in the contract.
  fileprivate let name: String
  private let isEqual: @Sendable (Object, Object) -> Bool

  /// A field by its name and its value.
  public init<Value: Equatable & Sendable>(
    _ name: String,
    _ value: @escaping @Sendable (Object) -> Value
  ) {
    self.name = name
    isEqual = { value($0) == value($1) }
  }

  /// Whether a client leaves the field as the object shows it.
  ///
  /// One that is empty says nothing: it may not have been sent.
  fileprivate func isUnchanged(in given: Object, of shown: Object) -> Bool {
    isEqual(given, shown) || isEqual(given, Object())
  }
}

extension Array {
  /// The name of the first of these fields that a client does not leave as the object shows it; nil if there is none.
  public func firstChanged<Object: Message>(in given: Object, of shown: Object) -> String?
  where Element == ReadOnlyField<Object> {
    first { !$0.isUnchanged(in: given, of: shown) }?.name
  }
}
