/// A configuration that a service refuses to start with, said so that the reader can mend it.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  /// Where and what.
  public let description: String

  /// Makes an error.
  public init(_ description: String) { self.description = description }
}
