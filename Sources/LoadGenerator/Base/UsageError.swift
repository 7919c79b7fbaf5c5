/// A command line or an input that cannot be used, said so that the reader knows what to change.
package struct UsageError: Error, Hashable, CustomStringConvertible {
  /// The problem, and what to do.
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
