import RPCKit
import StrictJSON
import Testing
import TestingContracts

@testable import RPCKitHTTP

@Suite("What the contract says of a field's JSON")
struct RESTSpellingTests {
  private static let path = "/test/shelves/s/books"

  @Test("What is not there is left out where the contract says that it is not empty")
  func answer_leavesOut_whatIsAbsent() throws {
    let stage = try RESTStage()
    func made(_ book: String) throws -> JSONObject? {
      try stage.send("POST", Self.path, json: book)?.json?.object?["data"]?.object
    }
    let bare = try #require(try made(#"{"lentTo":"","wear":0,"genre":""}"#))
    for name in ["lentTo", "wear", "genre", "spine"] { #expect(bare[name] == nil, "\(name)") }
    #expect(bare["title"] == "")
    #expect(try made(#"{"lentTo":"ada"}"#)?["lentTo"] == "ada")
  }

  @Test(
    "Words are spelled as the contract says, and read in every spelling",
    arguments: [
      (#"{"wear":"asNew"}"#, "wear", "asNew"), (#"{"wear":"AS_NEW"}"#, "wear", "asNew"),
      (#"{"wear":"WEAR_LEVEL_AS_NEW"}"#, "wear", "asNew"), (#"{"wear":"as_new"}"#, "wear", "asNew"),
      (#"{"wear":1}"#, "wear", "asNew"), (#"{"wear":9}"#, "wear", "9"),
      // Enums that keep their names are read in every spelling too.
      (#"{"binding":"cloth"}"#, "binding", "BINDING_CLOTH"),
      (#"{"genre":"science_fiction"}"#, "genre", "scienceFiction"),
      (#"{"genre":"scienceFiction"}"#, "genre", "scienceFiction"),
      (#"{"spine":"to_z"}"#, "spine", "TO_Z"), (#"{"spine":"TO_Z"}"#, "spine", "TO_Z"),
    ]
  )
  func words_areSpelled(_ book: String, _ name: String, _ word: String) throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("POST", Self.path, json: book))
    let value = answer.json?.object?["data"]?.object?[name]
    #expect(value?.string ?? value?.number?.text == word, "\(answer.text)")
    let kept = try #require(stage.library.lastRequest(Testing_V1.CreateBookRequest.self)?.book)
    #expect(["", "science_fiction"].contains(kept.genre) && ["", "to_z"].contains(kept.spine))
  }

  @Test("A word that there is not is refused with those that there are, as they are spelled")
  func word_unknown_isRefused() throws {
    let stage = try RESTStage()
    for word in ["Worn", "wear_level_worn", "", "unspecified_"] {
      let answer = try #require(try stage.send("POST", Self.path, json: #"{"wear":"\#(word)"}"#))
      #expect(answer.status == 400, "\(word)")
      #expect(answer.text.contains("must be one of: asNew, worn"), "\(answer.text)")
    }
  }
}
