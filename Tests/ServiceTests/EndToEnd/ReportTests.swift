import EntitlementContracts
import TenancyContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Compliance reports across services")
  struct ReportTests {
    @Test("Whoever bought the pack gets a report that can be verified, with what was refused in it")
    func report_ofBuyer_isWrittenAndVerified() async throws {
      try await Installation.run { home in
        let (ada, eve) = (try await home.signUp("ada"), try await home.signUp("eve"))
        let portfolio = try await home.portfolios.create(.init(name: "Home"), options: ada.call).id
        for _ in 0..<2 {
          let refused = try await refusal {
            try await home.portfolios.get(.init(portfolioId: portfolio), options: eve.call)
          }
          #expect(refused?.code == .notFound)
        }
        let early = try await refusal {
          for try await _ in Tenancy_V1.ReportsClient(home.tenancy.channel).read(
            .init(rootId: portfolio, from: .init(seconds: 0)),
            options: ada.call
          ) {}
        }
        #expect(early?.is(.failedPrecondition, "FEATURE_NOT_AVAILABLE") == true)
        #expect(early?.metadata["feature"] == "compliancePack")
        let bought = try await home.purchases.submitTransaction(
          .init(
            signedTransaction: try TransactionFields.signed {
              $0["bundleId"] = .string(Installation.bundleID)
            }
          ),
          options: ada.call
        )
        #expect(bought.result == .applied)
        let isHeardOf = try await home.tenancy.eventually {
          try await refusal {
            for try await _ in Tenancy_V1.ReportsClient(home.tenancy.channel).read(
              .init(rootId: portfolio, from: .init(seconds: 0)),
              options: ada.call
            ) {}
          } == nil
        }
        #expect(isHeardOf)
        for (format, type) in [("csv", "text/csv; charset=utf-8"), ("json", "application/json")] {
          let answer = try await home.tenancy.http.send(
            "GET",
            "/api/v1/reports/\(portfolio)/download?from=2026-01-01T00:00:00Z&format=\(format)",
            [("authorization", "Bearer \(ada.tokens.accessToken)")]
          )
          #expect(answer.status == 200 && answer.fields["content-type"] == type)
          try home.folder.write(answer.content, to: "download.\(format)")
          guard format == "json" else { continue }
          let limits = JSONLimits(byteCountMax: 1 << 20)
          let lines = try JSONReader.read(answer.content, limits: limits).array ?? []
          #expect(lines.first?.object?["kind"] == "report")
          #expect(lines.last?.object?["kind"] == "seal")
        }
        let ending = try await home.shell(
          """
          gatehouse login ada@example.com
          gatehouse report \(portfolio) --from 2026-01-01 --format json --output report.json
          gatehouse report \(portfolio) --from 2026-01-01 --format html --output report.html
          grep '"kind":"refusal".*"actor":"user:\(eve.id)","action":"portfolio.view"' report.json
          grep '"count":2' report.json
          grep '"role":"owner","object":"\(portfolio)"' report.json
          gatehouse report --verify report.json
          gatehouse report --verify report.html --key tenancy.public.pem
          ! gatehouse report --verify report.html --key auth.public.pem
          gatehouse report --verify download.csv
          gatehouse report --verify download.json --key tenancy.public.pem
          sed 's/owner/tenant/' download.json > changed.json
          ! gatehouse report --verify changed.json
          sed 's/owner/tenant/' report.json > changed.json
          ! gatehouse report --verify changed.json
          """
        )
        #expect(ending == .exited(0), "\(home.folder.end(of: "shell.log"))")
      }
    }
  }
}
