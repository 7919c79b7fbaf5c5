extension Subscription {
  /// The parts in which two subscriptions of one subject differ at `now`: tier, add-ons by name, overrides
  /// by feature.
  ///
  /// What has not begun, or has ended, counts as absent.
  static func differences(
    from old: Subscription?,
    to new: Subscription?,
    at now: Int64
  ) -> [PartChange] {
    var changes: [PartChange] = []
    if old?.terms != new?.terms, let tier = (new ?? old)?.tier {
      let effect = ChangeEffect(
        before: old?.isActive(at: now) ?? false,
        after: new?.isActive(at: now) ?? false
      )
      changes.append(PartChange(.init(.tier, tier), effect, endsAt: new?.end))
    }
    func compare<Value: Equatable>(
      _ kind: EntitlementPart.Kind,
      _ old: [String: Value],
      _ new: [String: Value],
      _ end: (Value) -> Int64?
    ) {
      for name in Set(old.keys).union(new.keys).sorted() where old[name] != new[name] {
        let effect = ChangeEffect(before: old[name] != nil, after: new[name] != nil)
        changes.append(PartChange(.init(kind, name), effect, endsAt: new[name].flatMap(end)))
      }
    }
    compare(.addon, old?.addons(at: now) ?? [:], new?.addons(at: now) ?? [:]) { $0.validUntil }
    compare(.override, old?.overrides(at: now) ?? [:], new?.overrides(at: now) ?? [:]) {
      overrides in
      // The last of them, unless one stays for good.
      let ends = overrides.compactMap(\.validUntil)
      return ends.count == overrides.count ? ends.max() : nil
    }
    return changes
  }

  /// Everything but add-ons and overrides.
  private var terms: Subscription {
    var terms = self
    (terms.addons, terms.overrides) = ([], [])
    return terms
  }

  /// Add-ons that have not ended, by name.
  private func addons(at now: Int64) -> [String: Addon] {
    let current = addons.filter { isCurrent($0.validUntil, at: now) }
    return Dictionary(current.map { ($0.name, $0) }) { first, _ in first }
  }

  /// Overrides that have not ended, by feature.
  private func overrides(at now: Int64) -> [String: [Override]] {
    Dictionary(grouping: overrides.filter { isCurrent($0.validUntil, at: now) }, by: \.feature)
  }
}
