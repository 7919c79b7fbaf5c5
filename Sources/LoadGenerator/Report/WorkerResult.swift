/// The result of one worker.
struct WorkerResult: Sendable {
  let recorder: LoadRecorder
  /// nil in a closed loop.
  let pacer: ArrivalPacer?
  /// Connections that were lost and made again.
  let lostCount: Int
}

/// The counts of one worker so far.
struct WorkerProgress: Sendable {
  let recorder: LoadRecorder
  let inFlight: Int
  let waiting: Int
}

/// The counts of a run so far.
package struct LoadProgress: Sendable {
  package var recorder: LoadRecorder
  package var inFlight = 0
  package var waiting = 0
}

/// Why a run could not be made.
package struct RunError: Error, Hashable, CustomStringConvertible {
  /// For the user.
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
