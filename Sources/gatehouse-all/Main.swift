import AllContracts
import AuthService
import CommandLineClient
import EntitlementService
import Glibc
import RPCKit
import ServiceKit
import TenancyService

/// The services and the client in one program, for the container image: the name by which it is called
/// says which of them it is.
///
/// Most of each program is the same Swift runtime and the same libraries, and one copy of them keeps the
/// image small (docs/decisions/0093-one-program-in-the-image.md). Each process still is one service.
@main
struct Main {
  static func main() async {
    let path = CommandLine.arguments.first ?? ""
    switch path.split(separator: "/").last {
    case "auth-service":
      await ServiceProgram(
        AuthProgram.self,
        commands: AuthProgram.commands,
        apiDocument: OpenAPIDocument.json
      ).main()
    case "tenancy-service":
      await ServiceProgram(TenancyProgram.self, apiDocument: OpenAPIDocument.json).main()
    case "entitlement-service":
      await ServiceProgram(EntitlementProgram.self, apiDocument: OpenAPIDocument.json).main()
    case "gatehouse":
      await ClientProgram.main()
    default:
      let names = "auth-service, tenancy-service, entitlement-service or gatehouse"
      FileBytes.writeAll(
        "\(path): not a name of a program; call it by a link named \(names)\n",
        to: STDERR_FILENO
      )
      exit(2)
    }
  }
}
