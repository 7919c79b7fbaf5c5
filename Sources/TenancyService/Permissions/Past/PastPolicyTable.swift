internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The policies that were in force, each from an instant on: a decision about the past is made by the
/// policy of that time.
///
/// Where the first one begins is also where the known past begins.
enum PastPolicyTable {
  /// A policy of the past, as the store has it.
  struct Kept: Sendable {
    let digest: [UInt8]
    let sources: [PolicySource]
  }

  /// Keeps that some files are in force from now on; nothing if they were the last ones.
  static func keep(_ sources: [PolicySource], in tx: borrowing WriteTransaction) throws {
    guard try !isLast(sources, in: tx) else { return }
    try tx.execute(
      "INSERT INTO past_policy (began_at, digest, sources) VALUES (?, ?, ?)",
      values: [.integer(tx.now), .blob(digest(of: sources)), .text(text(of: sources))]
    )
  }

  /// Whether some files are those that came into force last.
  static func isLast(_ sources: [PolicySource], in tx: borrowing some Queryable) throws -> Bool {
    try last(in: tx)?.digest == digest(of: sources)
  }

  /// The policy that came into force last; nil in a new store.
  static func last(in tx: borrowing some Queryable) throws -> Kept? {
    try first("", in: tx)
  }

  /// The policy in force at an instant; nil before the known past.
  static func at(_ instant: Int64, in tx: borrowing some Queryable) throws -> Kept? {
    try first("WHERE began_at <= ?", .integer(instant), in: tx)
  }

  private static func first(
    _ condition: String,
    _ values: SQLValue...,
    in tx: borrowing some Queryable
  ) throws -> Kept? {
    let found = try tx.query(
      "SELECT digest, sources FROM past_policy \(condition) ORDER BY sequence DESC LIMIT 1",
      values: values
    ) { ($0.blob(0), $0.text(1)) }
    guard let (digest, text) = found.first else { return nil }
    let limits = JSONLimits(byteCountMax: 1 << 28)
    let json = try? JSONReader.read([UInt8](text.utf8), limits: limits)
    let files = (json?.array ?? []).compactMap { file -> PolicySource? in
      guard let parts = file.array, parts.count == 2, let name = parts[0].string,
        let text = parts[1].string
      else { return nil }
      return PolicySource(name: name, text: [UInt8](text.utf8))
    }
    return Kept(digest: digest, sources: files)
  }

  /// The first instant of the known past; nil when there is none.
  static func knownSince(in tx: borrowing some Queryable) throws -> Int64? {
    try tx.first("SELECT began_at FROM past_policy ORDER BY sequence LIMIT 1") { $0.integer(0) }
  }

  /// Lets the known past begin at an instant, unless it begins later.
  static func purge(before instant: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      DELETE FROM past_policy WHERE sequence < (
        SELECT max(sequence) FROM past_policy WHERE began_at <= ?)
      """,
      .integer(instant)
    )
    try tx.execute(
      "UPDATE past_policy SET began_at = ? WHERE began_at < ?",
      .integer(instant),
      .integer(instant)
    )
  }

  /// Tells the files of one policy from those of all others.
  static func digest(of sources: [PolicySource]) -> [UInt8] { Digests.sha256(text(of: sources)) }

  private static func text(of sources: [PolicySource]) -> String {
    let files = sources.map { source -> JSONValue in
      [.string(source.name), .string(String(decoding: source.text, as: UTF8.self))]
    }
    return JSONValue.array(files).text
  }
}

/// Policies of the past that were compiled for a question; the next one is likely about the same.
final class PastPolicies: Sendable {
  private let compiled = Lock<[(digest: [UInt8], policy: Policy)]>([])
  private let zones: any TimeZoneSource

  private static let countMax = 4

  init(zones: any TimeZoneSource) { self.zones = zones }

  /// The policy that some files are; nil when this program can no longer read them.
  func policy(_ kept: PastPolicyTable.Kept) -> Policy? {
    if let known = compiled.withLock({ $0.first { $0.digest == kept.digest } }) {
      return known.policy
    }
    guard let policy = try? Policy.loadPast(kept.sources, zones: zones) else { return nil }
    add(policy, digest: kept.digest)
    return policy
  }

  /// The policy that was in force at an instant; FAILED_PRECONDITION when that is not known.
  func policy(at instant: Int64, in tx: borrowing ReadTransaction) throws -> Policy {
    guard let kept = try PastPolicyTable.at(instant, in: tx) else {
      throw PermissionError.pastUnknown(since: try PastPolicyTable.knownSince(in: tx))
    }
    guard let policy = self.policy(kept) else { throw PermissionError.pastPolicyUnreadable }
    return policy
  }

  /// Takes a policy that is compiled already.
  func add(_ policy: Policy, from sources: [PolicySource]) {
    add(policy, digest: PastPolicyTable.digest(of: sources))
  }

  private func add(_ policy: Policy, digest: [UInt8]) {
    compiled.withLock { compiled in
      compiled.append((digest, policy))
      if compiled.count > Self.countMax { compiled.removeFirst() }
    }
  }
}

extension Database {
  /// Forgets what was replaced or removed before `instant` (milliseconds since 1970).
  func purgePast(before instant: Int64) async throws {
    for table in ["past_entity", "past_link", "past_suspension", "past_role_definition"] {
      try await purge(table, "ended_at", before: instant, by: "sequence")
    }
    try await write { tx in try PastPolicyTable.purge(before: instant, in: tx) }
  }
}
