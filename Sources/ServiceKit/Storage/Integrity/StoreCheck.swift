/// A promise of a service about its rows beyond the schema: sums that must agree.
///
/// `Database.verify` looks at it, and a service can before it serves: see `Database.require`.
public struct StoreCheck: Sendable {
  /// The name of the check, for the report of `verify`: `points ledger`.
  public let name: String
  fileprivate let findings: @Sendable (borrowing ReadTransaction) throws -> [String]

  /// Names a check.
  ///
  /// `findings` returns a sentence for each thing that is wrong, without the file's name, and none when
  /// all is in order. It should stop after a few.
  public init(
    _ name: String,
    findings: @escaping @Sendable (borrowing ReadTransaction) throws -> [String]
  ) {
    self.name = name
    self.findings = findings
  }

  /// The findings on one snapshot of the store, of which a service may be writing the next.
  func findings(on connection: any StoreConnection) throws(StoreError) -> [String] {
    var found: [String] = []
    do {
      try connection.inReadTransaction { tx in found = try findings(tx) }
    } catch let error as StoreError {
      throw error
    } catch {
      found = ["the \(name) cannot be checked: \(error)"]
    }
    return found
  }
}

extension Database {
  /// Looks at everything that a service promises about its rows.
  ///
  /// Throws `StoreError.corrupt` with the first thing that is wrong, and changes nothing.
  public func require(_ checks: [StoreCheck]) async throws {
    try await read { tx in
      for check in checks {
        if let finding = try check.findings(tx).first { throw tx.damage(finding) }
      }
    }
  }
}
