internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension ImportsHandler {
  func listImports(
    _ request: Auth_V1.ListImportsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListImportsResponse {
    let caller = try call.requireUser()
    try core.auditBudget.take(call.caller.description)
    let direction = ListDirection(request.sortBy, standard: .descending)
    let asked = try core.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      "Imports.ListImports \(caller.userID) \(request.sortBy)",
      cursorCount: 3
    )
    let found = try await core.store.read { tx in
      try ImportTable.runs(
        after: asked.cursor.map { ImportTable.Place($0) },
        direction,
        skipping: asked.skippedCount,
        limit: asked.size + 1,
        in: tx
      )
    }
    let (page, next) = asked.cut(found, after: \.place.texts)
    let count = page.count
    try await core.store.write(call) { tx in
      try tx.audit("account.list_imports", object: "", detail: "\(count)")
    }
    return .init(runs: page.map { Auth_V1.ImportRun($0) }, nextPageToken: next)
  }
}

extension Auth_V1.ImportProgress {
  init(_ progress: ImportTable.Progress) {
    self.init(
      nextPosition: UInt64(clamping: progress.next),
      created: UInt64(clamping: progress.created),
      unchanged: UInt64(clamping: progress.unchanged),
      refused: UInt64(clamping: progress.refused)
    )
  }
}

extension Auth_V1.ImportRun {
  fileprivate init(_ run: ImportTable.Run) {
    self.init(
      source: run.place.source,
      run: run.place.run,
      progress: .init(run.progress),
      changedAt: .init(milliseconds: run.place.changed)
    )
  }
}
