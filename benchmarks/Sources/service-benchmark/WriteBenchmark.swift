import ServiceKit

/// How many rows a store writes in a second, each on the disk before its writer continues.
enum WriteBenchmark {
  static func run(_ options: Options) async throws {
    var report = Report("writes")
    for callers in [1, options.callers] {
      let path = "\(options.folder)/writes-\(callers).db"
      let database = try await Database.open(
        DatabaseConfiguration(path: path, applicationID: 0x6265_6e63),
        migrations: [
          Migration(version: 1, sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
        ]
      )
      let load = try await Callers.run(callers, seconds: options.seconds) { _ in
        try await database.write { tx in
          _ = try tx.execute(
            "INSERT INTO note (text) VALUES (?)",
            .text("a row of forty bytes, give or take")
          )
        }
      }
      await database.close()
      report["callers_\(callers)_per_second"] = load.perSecond
      report["callers_\(callers)_p50_us"] = load.samples.percentile(50) / 1000
      report["callers_\(callers)_p99_us"] = load.samples.percentile(99) / 1000
    }
    report.print()
  }
}

/// Callers of which each continues when its last call was answered.
enum Callers {
  struct Load {
    var samples = Samples()
    var perSecond = 0.0
    var errorCount = 0
  }

  /// Runs `body` with the number of the caller until the time is over.
  static func run(
    _ count: Int,
    seconds: Double,
    _ body: @escaping @Sendable (Int) async throws -> Void
  ) async throws -> Load {
    let clock = ContinuousClock()
    let start = clock.now
    let end = start.advanced(by: .seconds(seconds))
    var load = try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for caller in 0..<count {
        group.addTask {
          var times: [UInt64] = []
          var began = clock.now
          while began < end {
            try await body(caller)
            let now = clock.now
            times.append((now - began).nanoseconds)
            began = now
          }
          return times
        }
      }
      var load = Load()
      for try await times in group {
        for time in times { load.samples.add(time) }
      }
      return load
    }
    load.perSecond = Double(load.samples.count) / (clock.now - start).seconds
    return load
  }
}
