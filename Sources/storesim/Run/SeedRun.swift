import Glibc

/// Runs seeds one after another and adds up what happened in them.
struct SeedRun: ~Copyable {
  /// One seed in which something did not hold.
  struct Failure {
    let seed: UInt64
    let problems: [String]

    /// The whole message, with the command that shows it again.
    var message: String {
      var lines = ["seed \(seed) fails; replay with: scripts/simulate --store 1 --from \(seed)"]
      lines += problems.prefix(5).map { "  " + $0 }
      if problems.count > 5 { lines.append("  and \(problems.count - 5) more") }
      return lines.joined(separator: "\n")
    }
  }

  private(set) var failureCount: UInt64 = 0
  private var seedCount = 0
  private var stepCount = 0
  private var acknowledgedCount = 0
  private var refusedCount = 0
  private var counts: [String: Int] = [:]
  /// Digest of all runs: equal for equal seeds.
  private var digest: UInt64 = 0
  private let folder: String
  private let template: String

  init() {
    folder = Self.makeFolder()
    template = "\(folder)/template"
    StoreTemplate.make(at: template, in: folder)
  }

  deinit {
    for name in ["db1", "db2", "template"] {
      for suffix in ["", "-wal", "-shm"] { _ = unsafe unlink("\(folder)/\(name)\(suffix)") }
    }
    _ = unsafe rmdir(folder)
  }

  /// In memory, where there is such a file system.
  private static func makeFolder() -> String {
    let parent = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var path = Array("\(parent)/storesim-XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&path) else { fatalError("no folder can be made in \(parent)") }
    return unsafe String(cString: made)
  }

  /// Runs one seed; returns what did not hold, if anything.
  mutating func run(seed: UInt64, isDescribed: Bool) -> Failure? {
    for name in ["db1", "db2"] {
      for suffix in ["", "-wal", "-shm"] { _ = unsafe unlink("\(folder)/\(name)\(suffix)") }
    }
    let world = World(seed: seed, folder: folder, template: template)
    if isDescribed { print(world.plan) }
    world.run()
    seedCount += 1
    stepCount += world.schedule.stepCount
    acknowledgedCount += world.acknowledged.count
    refusedCount += world.refused.count
    counts.merge(world.cluster.counts, uniquingKeysWith: +)
    digest = (digest << 1 | digest >> 63) ^ world.schedule.trace
    guard !world.problems.isEmpty else { return nil }
    failureCount += 1
    return Failure(seed: seed, problems: world.problems)
  }

  /// The events that should have happened in so many seeds and did not: a run in which hardly anything happens proves
  /// nothing.
  var missing: [String] {
    guard seedCount >= 200 else { return [] }
    let names =
      Plan.Fault.allCases.map(\.rawValue) + [
        "commits in doubt", "cancelled waits", "old primaries",
      ]
    return names.filter { counts[$0] == nil }.map { "there were no faults: \($0)" }
      + (refusedCount > 0 ? [] : ["nothing was refused"])
  }

  /// A few lines for anyone who watches.
  var summary: String {
    let faults = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return """
      \(seedCount) seeds, \(stepCount) steps, digest \(String(digest, radix: 16))
      wishes: \(acknowledgedCount) done, \(refusedCount) refused
      faults: \(faults.joined(separator: ", "))
      """
  }
}
