internal import RPCKit

/// The measurements of a run.
package struct LoadReport: Sendable {
  package let options: LoadOptions
  /// Everything that was counted.
  package let recorder: LoadRecorder
  /// Measured time; shorter than asked for when the run was cut short.
  package let measuredSeconds: Double
  /// Calls that found no free place when they were due; whole run, open loop only.
  package internal(set) var waitedCount: UInt64 = 0
  /// The latest that the generator itself noticed a due call, in nanoseconds.
  package internal(set) var noticeDelayMax: Int64 = 0
  /// Connections that were lost.
  package internal(set) var lostCount = 0
  /// Whether the run was ended early.
  package internal(set) var isCutShort = false
  /// Whether too many calls failed.
  package internal(set) var isFailed = false
  /// Processor time of the generator per call, in microseconds.
  package internal(set) var processorMicrosecondsPerCall = 0.0
  /// Cores that the generator kept busy.
  package internal(set) var processorCores = 0.0

  /// Measured calls per second that succeeded.
  package var rate: Double {
    measuredSeconds > 0 ? Double(recorder.succeededCount) / measuredSeconds : 0
  }

  /// The exit code of the process.
  package var exitCode: Int32 {
    isFailed || recorder.totalSucceededCount == 0 ? 1 : 0
  }
}

extension LoadReport {
  /// The report of what the workers of a run have counted.
  init(
    options: LoadOptions,
    results: [WorkerResult],
    isCutShort: Bool,
    isFailed: Bool,
    processorSeconds: Double,
    elapsed: Duration
  ) {
    var recorder = results[0].recorder
    for result in results.dropFirst() { recorder.merge(result.recorder) }
    let measured = recorder.windowEnd - options.warmup.nanosecondsSaturated
    self.init(
      options: options,
      recorder: recorder,
      measuredSeconds: Double(max(0, measured)) / 1e9
    )
    self.isCutShort = isCutShort
    self.isFailed = isFailed
    waitedCount = results.reduce(0) { $0 + ($1.pacer?.waitedCount ?? 0) }
    noticeDelayMax = results.map { $0.pacer?.noticeDelayMax ?? 0 }.max() ?? 0
    lostCount = results.reduce(0) { $0 + $1.lostCount }
    let calls = Double(max(1, recorder.totalCount))
    processorMicrosecondsPerCall = processorSeconds * 1e6 / calls
    let seconds = Double(elapsed.nanosecondsSaturated) / 1e9
    processorCores = seconds > 0 ? processorSeconds / seconds : 0
  }
}
