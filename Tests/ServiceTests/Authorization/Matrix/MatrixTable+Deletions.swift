/// Deleting accounts, what the services do of it, and what EntitlementService does for deleted entities.
extension MatrixTable {
  static let deletions: [MatrixRow] = [
    // By then all others are the last owners of what the rows above made: that is for DeletionTests.
    .init("Deletions/DeleteAccount", .none, [.suspended], yes: "eraseAt", endsSession: true),
    .init(
      "Deletions/GetDeletion",
      .none,
      [],
      #"{"deletionId": "dln_unknown"}"#,
      yes: "eraseAt"
    ),
    .init("Deletions/CancelDeletion", .none, .everyone),
    .init("Erasure/SetAccountState", .service, [], #"{"userId": "usr_nobody", "version": "1"}"#),
    .init("Erasure/ListSoleHoldings", .service, [], #"{"userId": "usr_nobody"}"#),
    .init(
      "Erasure/EraseUser",
      .service,
      [],
      #"{"userId": "usr_nobody", "pseudonym": "del_nobody"}"#
    ),
    .init(
      "Holders/EraseUser",
      .service,
      [],
      #"{"userId": "usr_nobody", "pseudonym": "del_nobody"}"#
    ),
    .init("FamilyEnds/End", .service, [], #"{"id": "fam_nobody"}"#),
    .init("Holders/End", .service, [], #"{"holderId": "org_nobody"}"#),
    // Of what was deleted nobody has a role; whoever deleted it is asked in EntityDeletionTests.
    .init("Entities/ListDeletions", .none, .unsuspended),
    .init("Entities/ListAllDeletions", .system, .operators),
    .init("Entities/GetDeletion", .foreignProduct, [], #"{"deletionId": "<pass>"}"#),
  ]
}
