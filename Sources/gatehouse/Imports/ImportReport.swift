internal import PeerContracts
internal import AuthContracts
internal import ServiceKit

/// Tells what has become of rows: each that was refused as a line of JSON, and now and then how many there were.
struct ImportReport {
  /// Rows after which progress is reported.
  private static let noticeCount: UInt64 = 50_000

  /// The rows that were answered, those of earlier calls included.
  private var position: UInt64
  private let console: Console
  private var created = 0
  private var unchanged = 0
  private var refused = 0

  /// The report of an upload that begins at a row.
  init(position: UInt64, console: Console) {
    self.position = position
    self.console = console
  }

  private var summary: String {
    "created \(created) accounts; \(unchanged) unchanged, \(refused) refused"
  }

  /// Adds the results of a batch.
  mutating func add(_ answer: Auth_V1.ImportUsersResponse, _ rows: [ImportRows.Row]) throws {
    let before = position
    for (row, result) in zip(rows, answer.results) {
      position += 1
      switch result.outcome {
      case .created: created += 1
      case .unchanged: unchanged += 1
      default:
        refused += 1
        try tell(row, result.outcome)
      }
    }
    guard position / Self.noticeCount != before / Self.noticeCount else { return }
    console.note("\(position) rows; \(summary)")
  }

  /// Says how it went.
  func tellSummary(isDryRun: Bool) {
    console.note(isDryRun ? "would have \(summary)" : summary)
  }

  /// Says how far it came.
  func tellEnd() {
    console.note("stopped after \(position) rows; run the same command to go on")
  }

  private func tell(_ row: ImportRows.Row, _ outcome: Auth_V1.ImportOutcome) throws {
    var object: JSONObject = ["row": .string("\(position)")]
    if let problem = row.problem {
      object["outcome"] = "NOT_READABLE"
      object["problem"] = .string(problem)
    } else {
      object["sourceId"] = .string(row.message.sourceId)
      let name = outcome.name.map { "\($0)" } ?? "\(outcome.rawValue)"
      let prefix = "IMPORT_OUTCOME_"
      object["outcome"] = .string(
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
      )
    }
    try console.line(JSONValue.object(object).text)
  }
}
