import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

/// A report as somebody has received it.
struct ReadReport {
  /// All lines but the seal, each as it came.
  var text = ""
  /// How the lines came.
  var partByteCounts: [Int] = []
  var seal: ReportSeal?
  /// The people in it, as they came.
  var names: [Tenancy_V1.UserSummary] = []

  var lines: [ReportLine] {
    text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { ReportLine(json: Array($0)) }
  }

  /// The lines of a kind, in columns that matter to a test.
  func texts(_ kind: ReportLine.Kind, _ columns: ReportLine.Column...) -> [String] {
    lines.filter { $0.kind == kind }.map { line in columns.map { line[$0] }.joined(separator: " ") }
  }

  /// Whether the seal belongs to the lines, and the service has signed it.
  var isSealed: Bool {
    let digest = RunningDigest()
    digest.add(Array(text.utf8))
    return seal?.matches(lineCount: UInt64(lines.count), digest: digest.value) == true
      && seal?.isSigned(by: TenancyStage.reportKey.verificationKey) == true
  }
}

extension TenancyStage {
  /// Reads the report of a tree, by default of everything until now, without lines that the reader has.
  func report(
    on root: String,
    from: Int64 = 0,
    until: Int64? = nil,
    afterLine: UInt64 = 0,
    by user: String
  ) async throws -> ReadReport {
    let request = Tenancy_V1.ReadReportRequest(
      rootId: root,
      from: .init(milliseconds: from),
      until: until.map { .init(milliseconds: $0) },
      afterLine: afterLine
    )
    var report = ReadReport()
    for try await part in reports.read(request, options: .by(user)) {
      switch part.part {
      case .lines(let text)?:
        #expect(report.seal == nil, "lines come after the seal")
        report.text += text
        report.partByteCounts.append(text.utf8.count)
      case .seal(let seal)?: report.seal = ReportSeal(seal)
      case .names(let names)?:
        #expect(report.seal != nil, "names come before the seal")
        report.names += names.people
      case nil: Issue.record("an empty part")
      }
    }
    return report
  }
}
