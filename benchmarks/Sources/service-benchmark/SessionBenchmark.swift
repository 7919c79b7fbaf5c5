import PeerContracts
import RPCKit

/// Refreshes and sign-ins of an AuthService that runs elsewhere.
enum SessionBenchmark {
  private static let password = "a long pass phrase for everybody"

  static func refreshes(_ options: Options) async throws {
    try await withAccounts(options) { client, accounts, options in
      let tokens = accounts.map { Current($0.refreshToken) }
      let load = try await Callers.run(accounts.count, seconds: options.seconds) { caller in
        let answer = try await client.refresh(
          .init(refreshToken: await tokens[caller].text),
          timeout: .seconds(10)
        )
        await tokens[caller].replace(with: answer.refreshToken)
      }
      show("refreshes", load)
    }
  }

  static func signIns(_ options: Options) async throws {
    try await withAccounts(options) { client, accounts, options in
      let load = try await Callers.run(accounts.count, seconds: options.seconds) { caller in
        _ = try await client.signIn(
          .init(email: accounts[caller].email, password: password, allowPartialContext: true),
          timeout: .seconds(60)
        )
      }
      show("sign-ins", load)
    }
  }

  private static func show(_ name: String, _ load: Callers.Load) {
    var report = Report(name)
    report["per_second"] = load.perSecond
    report["calls"] = load.samples.count
    report["p50_us"] = load.samples.percentile(50) / 1000
    report["p99_us"] = load.samples.percentile(99) / 1000
    report.print()
  }

  private struct Account {
    let email: String
    let refreshToken: String
  }

  /// The token of one caller, which alone uses it.
  private actor Current {
    private(set) var text: String

    init(_ text: String) { self.text = text }

    func replace(with text: String) { self.text = text }
  }

  private static func withAccounts(
    _ options: Options,
    _ body: (Auth_V1.AuthenticationClient, [Account], Options) async throws -> Void
  ) async throws {
    guard !options.target.isEmpty else { throw OptionError("--target HOST:PORT is needed") }
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    try await withChannel("tcp://\(options.target)", ChannelConfiguration(loops: loops)) {
      channel in
      let client = Auth_V1.AuthenticationClient(channel)
      let run = UInt64.random(in: 0..<UInt64.max)
      var accounts: [Account] = []
      for number in 0..<options.callers {
        let email = "caller\(number).\(run)@example.com"
        let answer = try await client.signUp(
          .init(
            email: email,
            password: password,
            displayName: "Caller \(number)",
            allowPartialContext: true
          ),
          timeout: .seconds(30)
        )
        accounts.append(Account(email: email, refreshToken: answer.tokens?.refreshToken ?? ""))
      }
      try await body(client, accounts, options)
    }
  }
}
