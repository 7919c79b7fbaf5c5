internal import Glibc
internal import RPCKit
internal import ServiceKit

/// `gatehouse` as a process: hands the command line to `Program`, and its exit code to the shell.
package enum ClientProgram {
  /// Runs to the end of the process.
  package static func main() async -> Never {
    let environment = ProcessEnvironment.variables
    let program = Program(
      environment: environment,
      console: .terminal(environment: environment),
      clock: SystemWallClock(),
      interrupts: { try ProcessSignals.watch([.interrupt, .terminate]) }
    )
    exit(await program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }
}
