/// Substitutions of letters, so that a common password with some of them replaced is found to be one.
///
/// | Written | Means | Written | Means |
/// |---|---|---|---|
/// | `@` `4` | a | `1` `!` `\|` | i or l |
/// | `8` | b | `0` | o |
/// | `(` | c | `5` `$` | s |
/// | `3` | e | `7` `+` | t |
/// | `6` `9` | g | `2` | z |
///
/// Digits and signs at the end are also left as they are, since most people only add them.
enum PasswordSubstitutions {
  private static let letters: [Unicode.Scalar: Unicode.Scalar] = [
    "@": "a", "4": "a", "8": "b", "(": "c", "3": "e", "6": "g", "9": "g", "0": "o", "5": "s",
    "$": "s", "7": "t", "+": "t", "2": "z",
  ]
  /// Characters that stand for two letters.
  private static let strokes: Set<Unicode.Scalar> = ["1", "!", "|"]

  /// A password in lower case, and what it may have been made of.
  static func originals(of password: String) -> Set<String> {
    let scalars = Array(password.unicodeScalars)
    let tail = scalars.reversed().prefix { !$0.properties.isAlphabetic }.count
    var originals: Set<String> = [password]
    for stroke in ["i", "l"] as [Unicode.Scalar] {
      for kept in [0, tail] {
        let head = scalars.dropLast(kept).map { original(of: $0, stroke) }
        originals.insert(text(head + scalars.suffix(kept)))
      }
    }
    return originals
  }

  private static func original(
    of scalar: Unicode.Scalar,
    _ stroke: Unicode.Scalar
  ) -> Unicode.Scalar {
    strokes.contains(scalar) ? stroke : letters[scalar] ?? scalar
  }

  private static func text(_ scalars: [Unicode.Scalar]) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
