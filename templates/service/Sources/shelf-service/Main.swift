import ServiceKit
import Shelf

/// The program.
@main
struct Main {
  static func main() async {
    await ServiceProgram(ShelfService.self).main()
  }
}
