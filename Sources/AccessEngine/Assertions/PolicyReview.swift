/// Policy files looked at before they are loaded: their mistakes, and the answers to their assertions.
package struct PolicyReview: Sendable {
  /// The policy; nil when the files have other mistakes than assertions that fail.
  package let policy: Policy?
  /// All mistakes, assertions that fail among them.
  package let problems: [PolicyError.Problem]
  /// The answers to all assertions, in their order; none without a policy.
  package let answers: [Answer]
  /// How much of the policy the assertions ask about; nil without a policy.
  package let coverage: PolicyCoverage?

  /// The answer to an assertion.
  package struct Answer: Sendable {
    /// The file, as `PolicySource.name` has it.
    package let source: String
    /// Where in the file.
    package let path: String
    /// The user who asks.
    package let who: String
    package let action: String
    /// The entity.
    package let on: String
    /// Whether the answer is the one that the assertion expects.
    package let isExpected: Bool
    package let explanation: Explanation
  }

  /// Reads the files as `Policy.load` does.
  package init(_ sources: [PolicySource], zones: any TimeZoneSource) {
    let (policy, assertions, problems) = PolicyAssertions.read(sources, zones: zones)
    guard problems.noted.isEmpty else {
      (self.policy, self.problems, answers, coverage) = (nil, problems.noted, [], nil)
      return
    }
    for (source, assertions) in assertions {
      problems.source = source
      assertions.check(policy, problems)
    }
    self.policy = policy
    self.problems = problems.noted
    answers = assertions.flatMap { $0.assertions.answers(policy, in: $0.source) }
    coverage = PolicyCoverage(of: policy, assertions.map(\.assertions))
  }
}
