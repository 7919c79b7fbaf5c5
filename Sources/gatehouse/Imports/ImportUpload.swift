internal import PeerContracts
internal import AuthContracts
internal import RPCKit

/// Sends the rows of a file, and tells what becomes of them.
struct ImportUpload {
  /// The plan of an import.
  struct Plan: Sendable {
    /// The name of the other system.
    let source: String
    /// The digest of the file.
    let run: String
    /// Whether nothing is changed.
    let isDryRun: Bool
    /// Whether the file's word counts for which addresses are verified.
    let vouchesForAddresses: Bool
  }

  /// Batches that are on their way at once: one is written while the next one is read.
  private static let pipelineCount = 2

  private let plan: Plan
  private var rows: ImportRows
  private var position: UInt64
  private var answers: ResponseStream<Auth_V1.ImportUsersResponse>.AsyncIterator
  private var sent: [[ImportRows.Row]] = []
  private var report: ImportReport

  /// An upload of `rows`, of which the first one has the place `position` in the file.
  init(
    _ plan: Plan,
    _ rows: ImportRows,
    from position: UInt64,
    _ answers: ResponseStream<Auth_V1.ImportUsersResponse>,
    _ console: Console
  ) {
    self.plan = plan
    self.rows = rows
    self.position = position
    self.answers = answers.makeAsyncIterator()
    report = ImportReport(position: position, console: console)
  }

  /// Sends all rows and waits for all answers.
  mutating func run(_ writer: RequestWriter<Auth_V1.ImportUsersRequest>) async throws {
    do {
      while true {
        let batch = try rows.next()
        guard !batch.isEmpty else { break }
        try await write(batch, writer)
        if sent.count >= Self.pipelineCount { try await receive() }
      }
      try await writer.finish()
      while !sent.isEmpty { try await receive() }
    } catch {
      if !plan.isDryRun { report.tellEnd() }
      throw error
    }
    report.tellSummary(isDryRun: plan.isDryRun)
  }

  private mutating func write(
    _ batch: [ImportRows.Row],
    _ writer: RequestWriter<Auth_V1.ImportUsersRequest>
  ) async throws {
    let request = Auth_V1.ImportUsersRequest(
      source: plan.source,
      run: plan.run,
      position: position,
      rows: batch.map(\.message),
      dryRun: plan.isDryRun,
      vouchForAddresses: plan.vouchesForAddresses
    )
    do {
      try await writer.write(request)
    } catch {
      // The service has ended the call; why, is behind the answers that it gave before.
      while !sent.isEmpty { try await receive() }
      _ = try await answers.next()
      throw error
    }
    position += UInt64(batch.count)
    sent.append(batch)
  }

  private mutating func receive() async throws {
    guard let answer = try await answers.next() else {
      throw RPCError(.unavailable, "the import ended early; run the same command again")
    }
    try report.add(answer, sent.removeFirst())
  }
}
