import Glibc

/// The program.
@main
struct Main {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      switch options.command {
      case "help": print(Options.help)
      case "engine": try EngineBenchmark.run(options)
      case "tokens": try await TokenBenchmark.run(options)
      case "passkeys": try PasskeyBenchmark.run(options)
      case "permissions": try await PermissionBenchmark.run(options)
      case "writes": try await WriteBenchmark.run(options)
      case "refreshes": try await SessionBenchmark.refreshes(options)
      case "service-token": try ServiceTokenMaker.run()
      case "sign-ins": try await SessionBenchmark.signIns(options)
      default: throw OptionError("which benchmark? --help lists them")
      }
    } catch {
      print("service-benchmark: \(error)")
      fflush(nil)
      exit(2)
    }
  }
}
