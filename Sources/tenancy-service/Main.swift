import AllContracts
import TenancyService
import ServiceKit

/// The program.
@main
struct Main {
  static func main() async {
    await ServiceProgram(TenancyProgram.self, apiDocument: OpenAPIDocument.json).main()
  }
}
