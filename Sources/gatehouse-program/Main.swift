import CommandLineClient

/// The program.
@main
struct Main {
  static func main() async {
    await ClientProgram.main()
  }
}
