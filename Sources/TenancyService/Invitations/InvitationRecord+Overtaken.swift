internal import ServiceKit

/// The last decision about a person counts.
///
/// The one who was given the role, or has lost it or had it changed, after an invitation was made accepts it no
/// longer: an old invitation does not bring back a role that was taken away, neither by its code nor by its
/// address. The inviter does not see it, as that would tell whose address it is.
extension InvitationRecord {
  /// A condition on an invitation `i`, which takes the identifier of a user twice.
  ///
  /// An invitation names the tenant-defined role, and the other tables have the role of the policy beside it.
  /// Of invitations from before revisions were kept only times can be compared.
  static let overtaken = """
    (EXISTS (
      SELECT 1 FROM association a LEFT JOIN role_definition d ON d.id = a.variant
      WHERE a.user_id = ? AND a.entity_id = i.entity_id AND coalesce(d.name, a.role) = i.role
        AND a.added > i.made_at)
    OR EXISTS (
      SELECT 1 FROM association_history h
      WHERE h.user_id = ? AND h.ended_at >= i.created_at AND h.entity_id = i.entity_id
        AND CASE h.custom_role WHEN '' THEN h.role ELSE h.custom_role END = i.role
        AND (h.ended_revision > i.made_at OR i.made_at = 0)))
    """

  /// Whether it came too early for somebody.
  func isOvertaken(
    for userID: String,
    _ tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Bool {
    try tx.exists(
      "SELECT 1 FROM invitation i WHERE i.id = ? AND \(Self.overtaken)",
      .text(id),
      .text(userID),
      .text(userID)
    )
  }
}
