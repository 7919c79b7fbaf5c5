# The day of a journaling app that keeps data of its users; scripts/demo reads it.
# shellcheck shell=bash

# keeps WHO COLLECTION ID JSON: stores a document.
keeps() {
  local quoted=${4//\"/\\\"}
  allowed "$1" Documents/Put "{\"put\": {\"collection\": \"$2\", \"documentId\": \"$3\", \"json\": \"$quoted\"}}"
}

chapter "1. Mia writes"
sign_up mia "Mia Writer"
mia=$user
keeps mia moods monday '{"level": 2, "note": "long day"}'
keeps mia moods tuesday '{"level": 5, "note": "saw Noah"}'
keeps mia settings app '{"theme": "dark"}'
step "Mia signs up and keeps two moods and her settings"
allowed mia Documents/Put '{"put": {"collection": "moods", "documentId": "wednesday", "json": "{\"level\": 4}", "transforms": [{"field": "written", "serverTime": true}]}}'
allowed mia Documents/Put '{"put": {"collection": "profile", "documentId": "me", "json": "{}", "merge": true, "transforms": [{"field": "streak", "increment": 1}]}}'
allowed mia Documents/Put '{"put": {"collection": "profile", "documentId": "me", "json": "{}", "merge": true, "transforms": [{"field": "streak", "increment": 1}]}}'
step "The service says when Wednesday was written, and counts her streak, whichever device counts:"
answered '^ *"[0-9]+"$'
allowed mia Documents/List '{"collection": "moods", "sortField": "level", "descending": true, "filters": [{"field": "level", "atLeast": "4"}]}'
step "Her good days, best first:"
answered '"id":'

chapter "2. Noah has a journal of his own"
sign_up noah "Noah Writer"
noah=$user
allowed noah Documents/List '{"collection": "moods"}'
is totalSize 0
step "Noah signs up, and sees nothing of Mia's"
keeps noah moods monday '{"level": 3}'
allowed noah Documents/Get '{"collection": "moods", "documentId": "monday"}'
step "His Monday is his, under the same name:"
answered '"json":'
step "Her Tuesday does not exist for him:"
refused noah NOT_FOUND Documents/Get '{"collection": "moods", "documentId": "tuesday"}'

chapter "3. Two devices"
allowed mia Documents/Get '{"collection": "moods", "documentId": "monday"}'
revision=$(field revision "$answer")
keeps mia moods monday '{"level": 3, "note": "not so bad"}'
step "Mia's phone and tablet have read Monday, and the phone changes it first. The tablet has to read again:"
refused mia REVISION_MISMATCH Documents/Put "{\"put\": {\"collection\": \"moods\", \"documentId\": \"monday\", \"json\": \"{}\", \"expectedRevision\": \"$revision\"}}"
note mia gatehouse watch Documents/Watch '{"collection": "moods"}'
# RESET, three documents, CURRENT: then nothing happens until something changes.
answer=$({ as mia gatehouse watch Documents/Watch '{"collection": "moods"}' || true; } | head -n 5)
step "A watch tells a device what is there, says when that was all, and would go on with every change:"
sed -nE 's/.*"kind":"DOCUMENT_EVENT_KIND_([A-Z]+)".*"documentId":"([^"]*)".*/      \1 \2/p' <<<"$answer"
grep -q DOCUMENT_EVENT_KIND_CURRENT <<<"$answer" || failed "the watch did not get to the end: $answer"

chapter "4. What the older app had comes along"
operator omar "Omar Operator"
allowed omar LegacyDocuments/Import "{\"collection\": \"LEGACY_COLLECTION_MOOD_ENTRIES\", \"documents\": [{\"id\": \"m1\", \"userId\": \"$mia\", \"json\": \"{\\\"level\\\": 1}\"}, {\"id\": \"m2\", \"userId\": \"$noah\", \"json\": \"{\\\"level\\\": 2}\"}]}"
step "Omar imports the global collections, each document with its owner"
step "Nobody migrates while documents may still come:"
refused mia LEGACY_NOT_SEALED LegacyDocuments/Migrate '{}'
allowed omar LegacyDocuments/Seal '{}'
step "He seals them: from now on they are read-only"
allowed mia LegacyDocuments/Migrate '{}'
allowed mia LegacyDocuments/Migrate '{}'
step "Mia's app migrates after signing in; doing it again changes nothing:"
answered '"(state|copiedCount|remainingCount)":'
is copiedCount 1
step "How far it is the service says; nobody writes that:"
refused mia DOCUMENT_READ_ONLY Documents/Put '{"put": {"collection": "settings", "documentId": "migration", "json": "{}"}}'

chapter "5. Mia leaves"
token=$(as mia gatehouse token)
note mia gatehouse logout
as mia gatehouse logout >/dev/null || failed "Mia could not sign out"
note mia gatehouse login mia@example.com
as mia gatehouse login mia@example.com >/dev/null || failed "Mia could not sign in again"
allowed mia Documents/GetUsage '{}'
step "She signs out and in again, and everything is there:"
answered '"(collection|documentCount)":'
[[ $token != "$(as mia gatehouse token)" ]] || failed "the old session was not ended"
allowed mia Documents/DeleteAll '{}'
step "She deletes all that she has kept, and what the older app had of her:"
answered '"(deletedCount|hasMore)":'
allowed mia Documents/GetUsage '{}'
is documentCount 0
allowed noah Documents/List '{"collection": "moods"}'
is totalSize 1
step "Nothing of hers is left, and Noah's journal is as it was"
