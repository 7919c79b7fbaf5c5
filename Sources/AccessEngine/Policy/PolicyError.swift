internal import StrictJSON

/// Why policies do not load.
public struct PolicyError: Error, Hashable, CustomStringConvertible {
  /// One mistake.
  public struct Problem: Hashable, Sendable {
    /// The file, as `PolicySource.name` has it; empty when only one policy was to be loaded.
    public let source: String
    /// Where in the file: `types.device.actions.unlock`, `assertions.expect[3]`.
    public let path: String
    /// The problem there.
    public let problem: String

    package init(source: String = "", path: String, problem: String) {
      self.source = source
      self.path = path
      self.problem = problem
    }
  }

  /// All mistakes of all files, in their order.
  public let problems: [Problem]

  package init(_ problems: [Problem]) { self.problems = problems }

  /// Mistakes that `description` names; the rest is counted.
  private static let describedCountMax = 100

  /// One mistake a line.
  public var description: String {
    var lines = problems.prefix(Self.describedCountMax).map { problem in
      [problem.source, problem.path, problem.problem].filter { !$0.isEmpty }
        .joined(separator: ": ")
    }
    let rest = problems.count - lines.count
    if rest > 0 { lines.append("and \(rest) more") }
    return lines.joined(separator: "\n")
  }
}
