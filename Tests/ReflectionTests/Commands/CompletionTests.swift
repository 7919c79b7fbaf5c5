import AllContracts
import Reflection
import ServiceKit
import Testing

@testable import CommandLineClient

@Suite("What completes a command line")
struct CompletionTests {
  private func candidates(_ words: String...) -> [String] {
    Completer(registry: .gatehouse, commands: Commands.all).candidates(for: words)
  }

  @Test("Commands, options and their values are offered where they can stand")
  func candidates_ofWords_areOffered() {
    #expect(candidates("l") == ["list", "listen", "login", "logout", "logs"])
    #expect(candidates("help", "wh") == ["whoami"])
    #expect(candidates("list", "--o") == ["--output"])
    #expect(candidates("list", "--output", "") == ["json", "table"])
    #expect(candidates("--target", "au") == ["auth="])
    #expect(candidates("completion", "") == ["bash", "fish", "zsh"])
    #expect(candidates("whoami", "") == [])
    #expect(candidates("frobnicate", "") == [])
    #expect(candidates() == [])
  }

  @Test("Methods are offered with their package when one is typed, or is needed")
  func candidates_ofMethods_areOffered() {
    #expect(
      candidates("call", "Portfolios/Cr") == ["Portfolios/Create", "Portfolios/CreateProperty"]
    )
    #expect(candidates("call", "tenancy.v1.Portfolios/G") == ["tenancy.v1.Portfolios/Get"])
    #expect(candidates("call", "tenancy", "Portfolios/G") == ["Portfolios/Get"])
    // An option and its value are no argument.
    #expect(candidates("--timeout", "5", "call", "Portfolios/G") == ["Portfolios/Get"])
    #expect(candidates("call", "te") == ["tenancy"])
    #expect(candidates("call", "Portfolios/Get", "") == [])
    // Each command has those that it can call.
    #expect(candidates("call", "Health/") == ["Health/Check"])
    #expect(candidates("watch", "Health/") == ["Health/Watch"])
    #expect(candidates("describe", "tenancy.v1.Portf").contains("tenancy.v1.Portfolio"))
    #expect(candidates("list", "Por") == ["Portfolios"])
  }

  @Test("Every candidate of a method finds it again")
  func candidates_ofAllMethods_areUnderstood() throws {
    let registry = SchemaRegistry.gatehouse
    for prefix in ["", "tenancy.", "auth.", "entitlement."] {
      let words = Completer(registry: registry, commands: Commands.all).candidates(for: [
        "describe", prefix,
      ])
      let methods = words.filter { $0.contains("/") }
      #expect(methods.count > 5)
      for method in methods { #expect(registry.method(method) != nil, "\(method)") }
    }
  }

  @Test("Candidates are written a line each, options of other commands among them")
  func completion_candidates_areLines() async throws {
    try await CommandStage.run([]) { stage in
      let outcome = await stage.gatehouse("completion", "candidates", "--", "logs", "--re")
      #expect(outcome.code == 0)
      #expect(outcome.output == "--request\n")
      for shell in Shell.allCases {
        let script = await stage.gatehouse("completion", shell.rawValue)
        #expect(script.output.contains("gatehouse completion candidates -- "))
      }
    }
  }
}
