/// A server or channel that is used against its order of life.
public struct LifecycleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem.
  public let description: String

  /// Makes an error.
  public init(_ description: String) { self.description = description }
}
