import Foundation
import RPCKit
import ServiceKit
import Testing

extension EndToEndTests {
  /// The rows of docs/maintainers/requirements.md, sent by REST to started services.
  @Suite("Requirements of the products, as their apps ask for them")
  struct RequirementsTests {
    /// How a reason begins for which a row has no steps.
    private static let reasons = [
      "The app's", "The operator's", "Not built: ", "Refused: ", "No request shows it: ",
      "Figures in ",
    ]

    @Test("Each row has steps, or a reason for having none", arguments: RequirementChapter.names)
    func rows_withoutSteps_sayWhy(name: String) throws {
      let chapter = try RequirementChapter(name)
      for section in chapter.sections {
        for row in section.rows {
          let isReasoned = Self.reasons.contains { row.why?.hasPrefix($0) == true }
          let isRight = row.steps.isEmpty ? isReasoned : row.why == nil
          #expect(isRight, "\(section.title): \(row.requirement)")
          guard let limit = section.requestsAtMost else { continue }
          #expect(row.steps.count <= limit, "\(section.title): \(row.requirement)")
        }
      }
    }

    @Test(
      "The services answer the steps of each row as it says",
      arguments: RequirementChapter.names
    )
    func rows_sent_areAnswered(name: String) async throws {
      let chapter = try RequirementChapter(name)
      let policies = RequirementChapter.folder.deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      let policy = try String(
        contentsOf: policies.appending(path: "policies/\(chapter.policy).json"),
        encoding: .utf8
      )
      try await Installation.run(policy: policy) { home in
        let run = try await RequirementRun(home, people: chapter.people)
        try await run.run(chapter.given)
        for section in chapter.sections {
          for row in section.rows {
            do {
              try await run.run(row.given)
              try await run.run(row.steps)
            } catch {
              Issue.record("\(name), \(section.title): \(row.requirement): \(error)")
            }
          }
        }
      }
    }
  }
}
