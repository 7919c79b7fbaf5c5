/// A host name that the system's resolver found no addresses for.
struct ResolverError: Error, Hashable, CustomStringConvertible {
  /// The name that was asked for.
  var host: String
  /// The problem, in the words of gai_strerror(3).
  var reason: String

  var description: String { "cannot resolve \(host): \(reason)" }
}
