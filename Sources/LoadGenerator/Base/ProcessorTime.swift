internal import Glibc

/// Processor time of this process.
enum ProcessorTime {
  /// Seconds that all threads used so far (clock_gettime(2), CLOCK_PROCESS_CPUTIME_ID).
  static var seconds: Double {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
