import ServiceKit
import Testing

@Suite("How strongly a user has proved to be who they are")
struct AssuranceTests {
  @Test("A class satisfies those below it on the ladder, and what stands beside it only itself")
  func satisfies_eachPair_followsTheLadder() {
    let satisfied = [
      "pwd": ["pwd"], "mfa": ["pwd", "mfa"], "phr": ["pwd", "mfa", "phr"],
      "phrh": ["pwd", "mfa", "phr", "phrh"], "pin": ["pin"], "fed": ["fed"], "unheard": ["unheard"],
    ]
    let names = ["pwd", "mfa", "phr", "phrh", "pin", "fed", "unheard"]
    for acr in names {
      let found = names.filter { Assurance(acr: acr).satisfies($0) }
      #expect(found == satisfied[acr], "\(acr)")
    }
  }

  @Test("What satisfies a step-up is named as a client should ask for it, the least of it first")
  func satisfying_eachStepUp_isOrdered() {
    #expect(Assurance.satisfying("mfa") == ["mfa", "phr", "phrh"])
    #expect(Assurance.satisfying("phrh") == ["phrh"])
    #expect(Assurance.satisfying("pin") == ["pin"])
    #expect(Assurance.satisfying("fresh").isEmpty)
    for stepUp in Assurance.ladder + ["pin", "fed"] {
      for acr in Assurance.satisfying(stepUp) {
        #expect(Assurance(acr: acr).satisfies(stepUp), "\(acr) for \(stepUp)")
      }
    }
  }

  @Test(
    "What the store keeps of an assurance is that assurance",
    arguments: [
      Assurance(acr: "mfa"), Assurance(acr: "pin", purpose: "family.enter_parent_mode"),
      Assurance(acr: ""),
    ]
  )
  func text_andBack_isTheSame(assurance: Assurance) {
    #expect(Assurance(text: assurance.text) == assurance)
  }
}
