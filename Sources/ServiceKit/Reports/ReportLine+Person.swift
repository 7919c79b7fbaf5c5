package import PeerContracts

extension ReportLine {
  /// The line of a person's name, for a file.
  package init(person: Tenancy_V1.UserSummary) {
    self.init(.person)
    self[.object] = person.id
    self[.name] = person.displayName
  }
}
