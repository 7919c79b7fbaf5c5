internal import RPCKit
internal import Synchronization

/// Ends a run early, from any thread.
final class RunControl: Sendable {
  private let isEnding = Atomic<Bool>(false)
  private let errorCount = Atomic<Int>(0)
  private let errorCountMax: Int
  /// Calls that may still begin, and that have still to end.
  private let beginningsLeft: Atomic<Int>
  private let endingsLeft: Atomic<Int>
  private let countsCalls: Bool

  init(_ options: LoadOptions) {
    errorCountMax = options.errorCountMax ?? .max
    countsCalls = options.callCountMax != nil
    beginningsLeft = Atomic(options.callCountMax ?? 0)
    endingsLeft = Atomic(options.callCountMax ?? 0)
  }

  /// Whether the run is to end now.
  var isStopped: Bool { isEnding.load(ordering: .relaxed) }

  /// Whether all calls were made that were asked for by their number.
  var hasMadeAll: Bool { countsCalls && endingsLeft.load(ordering: .relaxed) <= 0 }

  /// Whether too many calls failed.
  var isFailed: Bool { errorCount.load(ordering: .relaxed) >= errorCountMax }

  /// Ends the run.
  func stop() { isEnding.store(true, ordering: .relaxed) }

  /// Counts a failed call.
  func countError() {
    let count = errorCount.wrappingAdd(1, ordering: .relaxed).newValue
    if count >= errorCountMax { stop() }
  }

  /// Whether a closed loop may begin one more call, which counts from here on.
  func takeCall() -> Bool {
    !countsCalls || beginningsLeft.wrappingSubtract(1, ordering: .relaxed).oldValue > 0
  }

  /// A call that was taken did not begin.
  func putCallBack() {
    if countsCalls { beginningsLeft.wrappingAdd(1, ordering: .relaxed) }
  }

  /// A call of a closed loop has ended; the last one ends the run.
  func countEnd() {
    guard countsCalls else { return }
    if endingsLeft.wrappingSubtract(1, ordering: .relaxed).newValue == 0 { stop() }
  }
}
