import AllContracts
import Foundation
import Reflection
import ServiceKit
import Testing

/// The rows of `docs/maintainers/requirements.md`, and what there is in the repository for them to name.
private struct RequirementsPage {
  /// A row: what is asked for, which calls serve it, how many requests the app sends, and what shows that.
  struct Row {
    let line: Int
    let requirement: String
    let calls: String
    let requests: String
    let evidence: String
  }

  let rows: [Row]
  /// The functions of every suite, by its name.
  private let functions: [String: Set<String>]

  init(_ text: String) throws {
    var rows: [Row] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard line.hasPrefix("|"), cells.count == 7, !cells[1].hasPrefix("---"),
        cells[1] != "Requirement"
      else { continue }
      let row = Row(
        line: index + 1,
        requirement: cells[1],
        calls: cells[3],
        requests: cells[4],
        evidence: cells[5]
      )
      rows.append(row)
    }
    self.rows = rows
    functions = try Self.known.get()
  }

  static let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  /// Read once: there are hundreds of files.
  private static let known = Result { try functions() }

  private static func functions() throws -> [String: Set<String>] {
    let folder = root.appending(path: "Tests")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    var functions: [String: Set<String>] = [:]
    for path in paths where path.hasSuffix(".swift") {
      let file = folder.appending(path: path)
      let text = try String(contentsOf: file, encoding: .utf8)
      let suites = text.matches(of: /\n *(?:final )?(?:struct|class|enum|actor) (\w+Tests)[ :]/)
      let names = text.matches(of: /\sfunc (\w+)\(/).map { String($0.output.1) }
      for suite in suites { functions[String(suite.output.1), default: []].formUnion(names) }
    }
    return functions
  }

  /// What is wrong with the rows.
  var problems: [String] { rows.flatMap { row in problems(row).map { "\(row.line): \($0)" } } }

  private func problems(_ row: Row) -> [String] {
    var problems: [String] = []
    if row.requirement.isEmpty { problems.append("asks for nothing") }
    let calls = Self.code(in: row.calls)
    for call in calls where SchemaRegistry.gatehouse.method(call) == nil {
      problems.append("there is no call \(call)")
    }
    if calls.isEmpty, row.calls != "—" { problems.append("names neither calls nor —") }
    let tests = Self.code(in: row.evidence).filter { $0.contains(/^\w+Tests(\.|$)/) }
    for test in tests {
      let parts = test.split(separator: ".").map(String.init)
      guard let known = functions[parts[0]] else {
        problems.append("there is no suite \(parts[0])")
        continue
      }
      guard parts.count == 2, known.contains(parts[1]) else {
        problems.append("there is no test \(test)")
        continue
      }
    }
    let says = ["Not built", "The app's", "The operator's", "Refused: ", "Figures in "]
    if tests.isEmpty, row.requests == "—", !says.contains(where: { row.evidence.hasPrefix($0) }) {
      problems.append("says neither what shows it nor that it is not built")
    }
    return problems
  }

  /// What stands in backquotes.
  private static func code(in cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
  }
}

@Suite("The page of requirements")
struct RequirementsPageTests {
  @Test("Every row names calls and tests that exist, or says that it is not built")
  func rows_nameWhatExists() throws {
    let file = RequirementsPage.root.appending(path: "docs/maintainers/requirements.md")
    let page = try RequirementsPage(String(contentsOf: file, encoding: .utf8))
    #expect(page.rows.count > 150)
    #expect(page.problems == [])
    // Every one of the five documents has its part.
    #expect(Set(page.rows.map(\.requirement)).count > 140)
  }

  @Test(
    "A made-up row is found out",
    arguments: [
      (
        "| A | 000:1 | `Portfolios/Sell` | 1 | `MatrixTests.rows_coverEveryMethod` |",
        "no call Portfolios/Sell"
      ),
      ("| A | 000:1 | `Portfolios/Get` | — | `MadeUpTests.row_isTrue` |", "no suite MadeUpTests"),
      (
        "| A | 000:1 | `Portfolios/Get` | — | `MatrixTests.row_isTrue` |",
        "no test MatrixTests.row_isTrue"
      ),
      ("| A | 000:1 | `Portfolios/Get` | — | `MatrixTests` |", "no test MatrixTests"),
      ("| A | 000:1 | `Portfolios/Get` | — | surely |", "says neither what shows it"),
      ("| A | 000:1 | `Portfolios/Get` | — |  |", "says neither what shows it"),
      ("| A | 000:1 |  | — | The app's |", "names neither calls nor —"),
      ("|  | 000:1 | — | — | The app's |", "asks for nothing"),
    ]
  )
  func rows_madeUp_areFound(row: String, problem: String) throws {
    let page = try RequirementsPage(
      "| Requirement | Source | Calls | Requests | Shown by |\n|---|---|---|---|---|\n\(row)\n"
    )
    #expect(page.rows.count == 1)
    #expect(page.problems.count == 1)
    #expect(page.problems.first?.contains(problem) == true, "\(page.problems)")
  }
}
