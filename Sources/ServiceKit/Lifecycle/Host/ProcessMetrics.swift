internal import Glibc
internal import RPCKit

/// The metrics that Prometheus' client libraries report of every process, under the same names, read from /proc
/// when the metrics are collected (proc(5)).
///
/// What cannot be read is reported as 0, as from a kernel that hides it.
enum ProcessMetrics {
  /// Registers the metrics of this process.
  static func register(in registry: MetricRegistry) {
    let ticksPerSecond = max(1, sysconf(Int32(_SC_CLK_TCK)))
    let pageByteCount = max(1, sysconf(Int32(_SC_PAGESIZE)))
    registry.observe(
      "process_cpu_seconds_total",
      help: "Processor time of the process, user and system, in seconds.",
      kind: .counter
    ) { Double(statistics?.processorTicks ?? 0) / Double(ticksPerSecond) }
    registry.observe(
      "process_resident_memory_bytes",
      help: "Resident memory of the process."
    ) { Double(statistics?.residentPageCount ?? 0) * Double(pageByteCount) }
    registry.observe(
      "process_virtual_memory_bytes",
      help: "Virtual memory of the process."
    ) { Double(statistics?.virtualByteCount ?? 0) }
    registry.observe("process_open_fds", help: "Open file descriptors.") {
      Double(DescriptorLimit.openCount)
    }
    registry.observe("process_max_fds", help: "File descriptors that may be open at a time.") {
      Double(DescriptorLimit.current)
    }
    // Neither changes, and the file grows with the processors of the machine.
    let bootTime = read("/proc/stat").flatMap(bootSeconds) ?? 0
    let started = Double(statistics?.startTicks ?? 0) / Double(ticksPerSecond)
    registry.observe(
      "process_start_time_seconds",
      help: "When the process was started, in seconds since 1970."
    ) { Double(bootTime) + started }
  }

  private static var statistics: ProcessStatistics? {
    read("/proc/self/stat").flatMap(ProcessStatistics.init)
  }

  private static func read(_ path: String) -> String? {
    // Not worth an error anywhere: see above.
    (try? FileBytes.read(path, byteCountMax: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The line `btime` of /proc/stat: when the machine was started, in seconds since 1970.
  static func bootSeconds(_ text: String) -> Int64? {
    let line = text.split(separator: "\n").first { $0.hasPrefix("btime ") }
    return line.flatMap { Int64($0.dropFirst(6)) }
  }
}

/// The used parts of /proc/PID/stat (proc_pid_stat(5)).
struct ProcessStatistics: Equatable {
  /// Processor time of the process, in clock ticks.
  var processorTicks: UInt64
  /// When it was started, in clock ticks after the machine was.
  var startTicks: UInt64
  /// Its virtual memory.
  var virtualByteCount: UInt64
  /// Its resident memory, in pages.
  var residentPageCount: UInt64

  /// Reads the line; nil for anything else.
  init?(_ text: String) {
    // The second field is the program's name in parentheses, which may have blanks and parentheses.
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[end...].dropFirst().split { $0 == " " || $0 == "\n" }
    // The first of these is field 3 of the manual page.
    func field(_ number: Int) -> UInt64? {
      fields.indices.contains(number - 3) ? UInt64(fields[number - 3]) : nil
    }
    guard let user = field(14), let system = field(15), let start = field(22),
      let virtual = field(23), let resident = field(24)
    else { return nil }
    processorTicks = user + system
    startTicks = start
    virtualByteCount = virtual
    residentPageCount = resident
  }
}
