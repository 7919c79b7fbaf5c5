import AccessEngine
import Glibc
import ServiceKit
import TenancyService

/// How long one decision takes, identifiers looked up included.
enum EngineBenchmark {
  static func run(_ options: Options) throws {
    let clock = ContinuousClock()
    let began = clock.now
    let world = try EngineWorld(
      policy: StandardInput.bytes(),
      deviceCount: options.devices,
      associationCount: options.associations
    )
    let loading = clock.now - began
    var allowed = Samples()
    var denied = Samples()
    var all = Samples()
    _ = measure(world, count: 50_000)
    for (nanoseconds, isAllowed) in measure(world, count: options.count) {
      all.add(nanoseconds)
      if isAllowed { allowed.add(nanoseconds) } else { denied.add(nanoseconds) }
    }
    var timer = Samples()
    for _ in 0..<10_000 {
      let start = clock.now
      timer.add((clock.now - start).nanoseconds)
    }
    let rate = decisionsPerSecond(world, options)
    var report = Report("engine")
    report["devices"] = options.devices
    report["associations"] = options.associations
    report["load_seconds"] = loading.seconds
    report["timer_ns"] = timer.percentile(50)
    report["decisions"] = all.count
    report["allowed_share"] = Double(allowed.count) / Double(max(1, all.count))
    for (name, samples) in [("", all), ("allowed_", allowed), ("denied_", denied)] {
      report["\(name)p50_ns"] = samples.percentile(50)
      report["\(name)p99_ns"] = samples.percentile(99)
    }
    report["decisions_per_second"] = rate
    report.print()
  }

  /// Times decisions one by one; questions are made in groups before, so that only their texts are in
  /// the processor's cache, as after reading a request.
  private static func measure(_ world: EngineWorld, count: Int) -> [(UInt64, Bool)] {
    let clock = ContinuousClock()
    let now: Int64 = 1_790_000_000_000
    var found: [(UInt64, Bool)] = []
    found.reserveCapacity(count + 64)
    while found.count < count {
      let questions = (0..<64).map { world.question($0) }
      for question in questions {
        let start = clock.now
        let decision = world.forest.decide(
          subject: question.subject,
          action: question.action,
          entity: question.entity,
          context: .plain,
          now: now
        )
        found.append(((clock.now - start).nanoseconds, decision.isAllowed))
      }
    }
    return found
  }

  /// Decisions one after the other, without looking at the clock; between two signals to ourselves, at
  /// which the counter of allocations (benchmarks/tools) prints its number, when it is there.
  private static func decisionsPerSecond(_ world: EngineWorld, _ options: Options) -> Double {
    let questions = (0..<min(options.count, 100_000)).map { world.question($0) }
    if options.countsAllocations { raise(SIGUSR1) }
    let time = ProcessorTime()
    var allowed = 0
    for question in questions {
      let decision = world.forest.decide(
        subject: question.subject,
        action: question.action,
        entity: question.entity,
        context: .plain,
        now: 1_790_000_000_000
      )
      if decision.isAllowed { allowed += 1 }
    }
    let seconds = time.seconds
    if options.countsAllocations { raise(SIGUSR1) }
    precondition(allowed > 0, "nothing was allowed, so the questions are wrong")
    return Double(questions.count) / seconds
  }
}
