internal import Glibc
internal import RPCKit
internal import ServiceKit

/// The program: hands the command line to `Program`, and its exit code to the shell.
@main
struct Main {
  static func main() async {
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
