# The day of a riding school; scripts/demo reads it.
# shellcheck shell=bash

# shared WHO ROLE ENTITY BY: invites somebody to a role, who accepts with the code of the mail.
shared() {
  allowed "$4" Invitations/Create "{\"entityId\": \"$3\", \"role\": \"$2\", \"email\": \"$1@example.com\"}"
  allowed "$1" Invitations/Accept "{\"code\": \"$(field code "$answer")\"}"
}

# check WHO ACTION ENTITY REASON: the answer to a check must have that reason.
check() {
  allowed "$1" Permissions/Check "{\"action\": \"$2\", \"entityId\": \"$3\"}"
  is reason "REASON_$4"
}

chapter "1. Sofia opens a riding school"
sign_up sofia "Sofia Owner"
allowed sofia Entities/Create '{"entity": {"type": "organization", "name": "Meadow Farm"}}'
farm=$(field id "$answer")
step "Sofia signs up, creates an organization and becomes its owner: $farm"
allowed sofia Entities/Create "{\"entity\": {\"type\": \"stable\", \"parentId\": \"$farm\", \"name\": \"North Stable\", \"attributes\": {\"city\": \"Uppsala\"}}}"
stable=$(field id "$answer")
allowed sofia Entities/Create "{\"entity\": {\"type\": \"horse\", \"parentId\": \"$stable\", \"name\": \"Bella\", \"attributes\": {\"breed\": \"Icelandic\", \"age\": 9, \"notes\": \"shy at the gate\", \"chip_number\": \"752098100\", \"owner_name\": \"Hanna\"}}}"
bella=$(field id "$answer")
allowed sofia Entities/Create "{\"entity\": {\"type\": \"horse\", \"parentId\": \"$stable\", \"name\": \"Dan\", \"attributes\": {\"breed\": \"Fjord\"}}}"
dan=$(field id "$answer")
step "She adds a stable with two horses"

chapter "2. Everybody gets the role they need, where they need it"
for name in Marta Vera Greta Hanna; do sign_up "${name,,}" "$name"; done
shared marta stable_manager "$stable" sofia
step "Marta manages the stable"
shared greta groom "$stable" marta
shared vera veterinarian "$bella" marta
shared hanna horse_owner "$bella" marta
step "She takes Greta as groom, and lets the veterinarian Vera and the owner Hanna see Bella"
sign_up nora Nora
allowed marta Invitations/Create "{\"entityId\": \"$stable\", \"role\": \"groom\", \"recurring\": {\"days\": [\"saturday\", \"sunday\"], \"from\": \"07:00\", \"until\": \"19:00\", \"timeZone\": \"Europe/Stockholm\"}}"
code=$(field code "$answer")
step "For the weekends she invites a person by a code, without knowing the address: $code"
allowed nora Invitations/Accept "{\"code\": \"$code\"}"
step "Nora accepts, and is a groom on Saturdays and Sundays:"
answered '"(role|from|until|timeZone)":|"(satur|sun)day"'
step "The code is good for one person:"
refused greta CODE_UNKNOWN Invitations/Accept "{\"code\": \"$code\"}"
step "Greta may not take anybody on herself:"
refused greta PERMISSION_DENIED Roles/Grant "{\"role\": {\"entityId\": \"$stable\", \"role\": \"groom\", \"email\": \"hanna@example.com\"}}"

chapter "3. Each sees of a horse what the role shows"
allowed greta Entities/Get "{\"entityId\": \"$bella\"}"
step "The groom sees how to care for Bella:"
answered '"(name|breed|age|notes|accessLevel)":'
! grep -q chip_number <<<"$answer" || failed "a groom sees the chip number"
allowed vera Entities/Get "{\"entityId\": \"$bella\"}"
step "The veterinarian sees the chip number too, and not who the owner is:"
answered '"(chip_number|accessLevel)":'
! grep -q owner_name <<<"$answer" || failed "a veterinarian sees the owner"
step "Dan is none of her business:"
refused vera NOT_FOUND Entities/Get "{\"entityId\": \"$dan\"}"
allowed hanna Entities/Update "{\"entityId\": \"$bella\", \"attributes\": {\"insurance\": \"Agria 7\"}}"
allowed marta Entities/Get "{\"entityId\": \"$bella\"}"
! grep -q insurance <<<"$answer" || failed "a manager sees what is the owner's"
step "Hanna keeps the insurance of her own horse; not even the manager sees it:"
answered '"accessLevel":'
step "Marta may change the horse, but not what she does not see of it:"
refused marta ATTRIBUTE_NOT_VISIBLE Entities/Update "{\"entityId\": \"$bella\", \"attributes\": {\"insurance\": \"none\"}}"

chapter "4. An app keeps what its user may do"
allowed greta Permissions/Fetch "{\"entityId\": \"$farm\"}"
step "One call has everything that Greta may do in the farm:"
answered '"stable\.|"horse\.|"roles"|"groom"'
check greta stable.book_shifts "$stable" ALLOWED
step "She books a shift"
note greta gatehouse explain me stable.manage_schedules "$stable"
answer=$(as greta gatehouse explain me stable.manage_schedules "$stable") || failed "nothing was explained"
step "Why may she not make the schedule?"
sed 's/^/      /' <<<"$answer"

chapter "5. The farm buys invoicing"
check sofia organization.view_invoices "$farm" FEATURE_NOT_AVAILABLE
step "Even the owner sees no invoices without the add-on:"
answered '"reason":'
operator oscar "Oscar Operator"
allowed oscar Subscriptions/Put "{\"subscription\": {\"subject\": {\"kind\": \"SUBJECT_KIND_ORGANIZATION\", \"id\": \"$farm\"}, \"tier\": \"standard\", \"addons\": [{\"name\": \"invoicing\"}]}}"
step "An operator enters the subscription that the farm has paid for"
# The push of the change is on its way; an answer without it is good for ten seconds at most.
for _ in {1..300}; do
  answer=$(as sofia gatehouse call Permissions/Check "{\"action\": \"organization.view_invoices\", \"entityId\": \"$farm\"}")
  [[ $(field reason "$answer") != REASON_ALLOWED ]] || break
done
check sofia organization.view_invoices "$farm" ALLOWED
step "Now she does:"
answered '"reason":'
allowed sofia Entitlements/CheckLimit "{\"subject\": {\"kind\": \"SUBJECT_KIND_ORGANIZATION\", \"id\": \"$farm\"}, \"limit\": \"maxHorses\", \"currentCount\": 40}"
step "Forty horses are what the tier has room for; another one:"
answered '"(allowed|reason)":'

chapter "6. Marta leaves"
marta=$(as marta gatehouse call Users/GetMe '{}' | sed -nE 's/^  "id": "(.*)",/\1/p')
allowed sofia Roles/Revoke "{\"entityId\": \"$stable\", \"role\": \"stable_manager\", \"userId\": \"$marta\"}"
step "Sofia takes the role back, and the stable is gone for Marta at once:"
refused marta NOT_FOUND Entities/Get "{\"entityId\": \"$stable\"}"
