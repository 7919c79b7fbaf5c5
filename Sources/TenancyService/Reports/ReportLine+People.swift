internal import ServiceKit

extension ReportLine {
  /// The identifiers of the users that it names.
  var people: [String] {
    [self[.actor], self[.onBehalfOf], self[.grantedBy], self[.object]].compactMap {
      AuditActor.userID(of: $0)
    }
  }
}
