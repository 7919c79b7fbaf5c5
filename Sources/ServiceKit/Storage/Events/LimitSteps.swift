/// The uses of a limit that are news for other systems: four fifths of it, and all.
public enum LimitSteps {
  /// The highest step, as a percentage, that a use reaches which had not reached it before; nil for none.
  ///
  /// Of limits so small that a step is no whole number, the next larger number reaches it: of one, both at once.
  public static func reached(from before: Int64, to after: Int64, of maximum: Int64) -> Int64? {
    guard maximum > 0, after > before else { return nil }
    // The product of both is not needed, and may be too large.
    let fourFifths = maximum - maximum / 5
    return [(maximum, 100), (fourFifths, 80)].first { before < $0.0 && after >= $0.0 }?.1
  }
}
