import AllContracts
import EntitlementService
import ServiceKit

/// The program.
@main
struct Main {
  static func main() async {
    await ServiceProgram(EntitlementProgram.self, apiDocument: OpenAPIDocument.json).main()
  }
}
