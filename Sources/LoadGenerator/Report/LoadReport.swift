internal import RPCKit

/// The measurements of a run.
package struct LoadReport: Sendable {
  package let options: LoadOptions
  /// Everything that was counted.
  package let recorder: LoadRecorder
  /// Measured time; shorter than asked for when the run was cut short.
  package let measuredSeconds: Double
  /// Calls that found no free place when they were due; whole run, open loop only.
  package let waitedCount: UInt64
  /// The latest that the generator itself noticed a due call, in nanoseconds.
  package let noticeDelayMax: Int64
  /// Connections that were lost.
  package let lostCount: Int
  /// Whether the run was ended early.
  package let isCutShort: Bool
  /// Whether too many calls failed.
  package let isFailed: Bool
  /// Processor time of the generator per call, in microseconds.
  package let processorMicrosecondsPerCall: Double
  /// Cores that the generator kept busy.
  package let processorCores: Double

  init(
    options: LoadOptions,
    results: [WorkerResult],
    isCutShort: Bool,
    isFailed: Bool,
    processorSeconds: Double,
    elapsed: Duration
  ) {
    self.options = options
    self.isCutShort = isCutShort
    self.isFailed = isFailed
    var recorder = results[0].recorder
    for result in results.dropFirst() { recorder.merge(result.recorder) }
    self.recorder = recorder
    let measured = recorder.windowEnd - options.warmup.nanosecondsSaturated
    measuredSeconds = Double(max(0, measured)) / 1e9
    waitedCount = results.reduce(0) { $0 + ($1.pacer?.waitedCount ?? 0) }
    noticeDelayMax = results.map { $0.pacer?.noticeDelayMax ?? 0 }.max() ?? 0
    lostCount = results.reduce(0) { $0 + $1.lostCount }
    let calls = Double(max(1, recorder.totalCount))
    processorMicrosecondsPerCall = processorSeconds * 1e6 / calls
    let seconds = Double(elapsed.nanosecondsSaturated) / 1e9
    processorCores = seconds > 0 ? processorSeconds / seconds : 0
  }

  /// For a report that no run made.
  package init(
    options: LoadOptions,
    recorder: LoadRecorder,
    measuredSeconds: Double,
    waitedCount: UInt64 = 0,
    noticeDelayMax: Int64 = 0,
    lostCount: Int = 0,
    isCutShort: Bool = false,
    isFailed: Bool = false,
    processorMicrosecondsPerCall: Double = 0,
    processorCores: Double = 0
  ) {
    self.options = options
    self.recorder = recorder
    self.measuredSeconds = measuredSeconds
    self.waitedCount = waitedCount
    self.noticeDelayMax = noticeDelayMax
    self.lostCount = lostCount
    self.isCutShort = isCutShort
    self.isFailed = isFailed
    self.processorMicrosecondsPerCall = processorMicrosecondsPerCall
    self.processorCores = processorCores
  }

  /// Measured calls per second that succeeded.
  package var rate: Double {
    measuredSeconds > 0 ? Double(recorder.succeededCount) / measuredSeconds : 0
  }

  /// The exit code of the process.
  package var exitCode: Int32 {
    isFailed || recorder.totalSucceededCount == 0 ? 1 : 0
  }
}
