import CommandLineTool
import Glibc
import LoadGenerator
import RPCKit

/// The program: reads the command line, makes the load and prints the report.
@main
struct Main {
  static func main() async {
    do {
      switch try LoadCommand(Array(CommandLine.arguments.dropFirst())) {
      case .help: FileBytes.writeAll(OptionHelp.text, to: STDOUT_FILENO)
      case .run(let options): exit(try await run(options))
      }
    } catch {
      FileBytes.writeAll("rpcload: \(error)\n", to: STDERR_FILENO)
      exit(error is UsageError ? 2 : 1)
    }
  }

  private static func run(_ options: LoadOptions) async throws -> Int32 {
    let signals = try ProcessSignals.watch([.interrupt, .terminate])
    DescriptorLimit.raise()
    let run = try await LoadRun.prepare(options)
    guard options.hold == .zero else {
      try await hold(run, for: options.hold, signals)
      return 0
    }
    let report = await withTaskGroup(of: LoadReport?.self) { group in
      group.addTask { await run.drive() }
      group.addTask {
        for await _ in signals { run.stop() }
        return nil
      }
      if !options.isQuiet, isatty(STDERR_FILENO) == 1 {
        group.addTask {
          await showProgress(run)
          return nil
        }
      }
      var report: LoadReport?
      for await result in group {
        guard let result else { continue }
        report = result
        group.cancelAll()
      }
      return report
    }
    guard let report else { preconditionFailure("a run ends with a report") }
    try show(report, options)
    return report.exitCode
  }

  private static func hold(
    _ run: LoadRun,
    for duration: Duration,
    _ signals: AsyncStream<ProcessSignal>
  ) async throws {
    try await run.touch()
    FileBytes.writeAll("holding\n", to: STDOUT_FILENO)
    await withTaskGroup(of: Void.self) { group in
      // Cancellation is the only failure, and means that the other task ended.
      group.addTask { try? await Task.sleep(for: duration) }
      group.addTask { for await _ in signals { break } }
      await group.next()
      group.cancelAll()
    }
    await run.close()
  }

  private static func showProgress(_ run: LoadRun) async {
    var line = ProgressLine()
    let clock = ContinuousClock()
    var last = clock.now
    // Sleeping throws when the run is over.
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      let now = clock.now
      let seconds = Double((now - last).nanosecondsSaturated) / 1e9
      last = now
      let text = line.next(await run.progress(), seconds: seconds)
      FileBytes.writeAll(text, to: STDERR_FILENO)
    }
    FileBytes.writeAll(ProgressLine.erased, to: STDERR_FILENO)
  }

  private static func show(_ report: LoadReport, _ options: LoadOptions) throws {
    if let path = options.jsonPath { try FileBytes.write(report.json, to: path) }
    let isText =
      switch options.output {
      case .automatic: isatty(STDOUT_FILENO) == 1
      case .json: false
      case .text: true
      }
    FileBytes.writeAll(isText ? report.text : report.json, to: STDOUT_FILENO)
  }
}
