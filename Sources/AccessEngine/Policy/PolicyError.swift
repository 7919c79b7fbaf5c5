internal import StrictJSON

/// Why a policy does not load.
public struct PolicyError: Error, Hashable, CustomStringConvertible {
  /// One thing that is wrong.
  public struct Problem: Hashable, Sendable {
    /// Where: `types.device.actions.unlock`, `assertions.expect[3]`.
    public let path: String
    /// What is wrong there.
    public let problem: String

    package init(path: String, problem: String) {
      self.path = path
      self.problem = problem
    }
  }

  /// Everything that is wrong, as far as it could be told.
  public let problems: [Problem]

  package init(_ problems: [Problem]) { self.problems = problems }

  init(_ error: JSONDecodingError) {
    problems = [Problem(path: error.path, problem: error.problem)]
  }

  init(_ error: JSONError) {
    problems = [Problem(path: "", problem: "is not JSON: \(error)")]
  }

  /// One line a problem.
  public var description: String {
    problems.map { $0.path.isEmpty ? $0.problem : "\($0.path): \($0.problem)" }
      .joined(separator: "\n")
  }
}
