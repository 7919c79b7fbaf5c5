import AllContracts
import AuthService
import ServiceKit

/// The program.
@main
struct Main {
  static func main() async {
    await ServiceProgram(
      AuthProgram.self,
      commands: AuthProgram.commands,
      apiDocument: OpenAPIDocument.json
    ).main()
  }
}
