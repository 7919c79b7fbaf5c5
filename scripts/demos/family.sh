# The day of a family whose children earn screen time; scripts/demo reads it.
# shellcheck shell=bash

# parent_mode WHO: proves the family's PIN; the token is in $opened, for `GATEHOUSE_TOKEN=$opened allowed …`.
parent_mode() {
  allowed "$1" StepUp/VerifyFamilyPin "{\"familyId\": \"$family\", \"pin\": \"482915\"}"
  opened=$(sed -nE 's/^    "token": "([^"]*)",?$/\1/p' <<<"$answer")
  [[ -n $opened ]] || failed "there is no token: $answer"
}

chapter "1. Olive sets up the family"
sign_up olive "Olive Kerr"
allowed olive Entities/Create '{"entity": {"type": "family", "name": "Kerr"}}'
family=$(field id "$answer")
allowed olive Entities/Create "{\"entity\": {\"type\": \"child\", \"parentId\": \"$family\", \"name\": \"Ann\", \"attributes\": {\"avatar\": \"fox\", \"birth_year\": 2016}}}"
child=$(field id "$answer")
step "Olive signs up, makes the family and is its organizer, and adds a profile for her child: $child"
allowed olive StepUp/SetFamilyPin "{\"familyId\": \"$family\", \"pin\": \"482915\"}"
step "She sets the family's one PIN; who enters parent mode types it, on whatever device"
for name in Paul Gwen Annie; do sign_up "${name,,}" "$name Kerr"; done
step "Roles take parent mode, also from her:"
refused olive STEP_UP_REQUIRED Invitations/Create "{\"entityId\": \"$family\", \"role\": \"parent\"}"
parent_mode olive
for who in "paul parent" "gwen guardian"; do
  read -r name role <<<"$who"
  GATEHOUSE_TOKEN=$opened allowed olive Invitations/Create "{\"entityId\": \"$family\", \"role\": \"$role\", \"email\": \"$name@example.com\"}"
  allowed "$name" Invitations/Accept "{\"code\": \"$(field code "$answer")\"}"
done
step "She invites Paul as the other parent, and Gwen as a guardian; with the codes of the mails they accept"

chapter "2. Ann's tablet is paired"
step "Nobody has said yet whose the tablet is:"
refused annie NOT_FOUND Families/GetDeviceContext '{"deviceId": "anns-tablet"}'
allowed paul Families/CreatePairingCode "{\"familyId\": \"$family\", \"deviceRole\": \"DEVICE_ROLE_CHILD\", \"childId\": \"$child\"}"
code=$(field code "$answer")
step "Paul makes a code that is good for ten minutes, and reads it out: $code"
allowed annie Families/PairDevice "{\"code\": \"${code,,}\", \"deviceId\": \"anns-tablet\", \"deviceName\": \"Tablet\"}"
step "Annie types it on the tablet, where her own account is signed in; now that account is the child's:"
answered '"(childName|deviceName)":'
step "The code is good once:"
refused annie CODE_UNKNOWN Families/PairDevice "{\"code\": \"$code\", \"deviceId\": \"another-tablet\"}"
allowed annie Families/GetDeviceContext '{"deviceId": "anns-tablet"}'
step "The app asks which modes to show; Annie may use the child's:"
answered '"(mode|allowed|reason)":'

chapter "3. The parents say what apps are worth"
parent_mode paul
GATEHOUSE_TOKEN=$opened allowed paul Points/SetRule "{\"holderId\": \"$child\", \"rule\": {\"app\": \"com.example.math\", \"pointsPerMinute\": 2, \"pointsPerRewardMinute\": 4}}"
GATEHOUSE_TOKEN=$opened allowed paul Points/SetRule "{\"holderId\": \"$child\", \"rule\": {\"app\": \"com.example.reading\", \"pointsPerMinute\": 1, \"pointsPerRewardMinute\": 4}}"
step "Paul types the PIN once. A minute of mathematics earns two points, one of reading one; four points buy a minute"
step "Gwen looks after Ann and sets no rules:"
refused gwen PERMISSION_DENIED Points/SetRule "{\"holderId\": \"$child\", \"rule\": {\"app\": \"com.example.games\", \"pointsPerMinute\": 9}}"

chapter "4. Annie learns"
allowed annie Points/Earn "{\"holderId\": \"$child\", \"app\": \"com.example.math\", \"minutes\": 30, \"idempotencyKey\": \"today\"}"
allowed annie Points/Earn "{\"holderId\": \"$child\", \"app\": \"com.example.math\", \"minutes\": 30, \"idempotencyKey\": \"today\"}"
allowed annie Points/Earn "{\"holderId\": \"$child\", \"app\": \"com.example.reading\", \"minutes\": 20}"
allowed gwen Points/Balances "{\"holderId\": \"$child\"}"
step "Her device reports the half hour twice, because the first answer was lost; it counts once:"
answered '"(app|points|rewardMinutes|totalPoints)":'
is totalPoints 80

chapter "5. She redeems"
allowed annie Points/Redeem "{\"holderId\": \"$child\", \"reward\": \"games\", \"parts\": [{\"app\": \"com.example.math\", \"points\": 40}]}"
bought=$(field id "$answer")
allowed annie Points/ActiveRewards "{\"holderId\": \"$child\"}"
step "Forty of sixty points become ten minutes of games:"
answered '"(reward|endsAt|secondsLeft)":'
step "More than there is, of one app or of several, is not redeemed in part:"
refused annie INSUFFICIENT_POINTS Points/Redeem "{\"holderId\": \"$child\", \"parts\": [{\"app\": \"com.example.reading\", \"all\": true}, {\"app\": \"com.example.math\", \"points\": 40}]}"
allowed annie Points/Balances "{\"holderId\": \"$child\"}"
step "What she did not redeem is there for later:"
answered '"(app|points|totalPoints)":'
is totalPoints 40

chapter "6. The parents look, and take something back"
step "Annie takes nothing back herself:"
refused annie STEP_UP_REQUIRED Points/Reverse "{\"holderId\": \"$child\", \"transactionId\": \"$bought\"}"
parent_mode paul
GATEHOUSE_TOKEN=$opened allowed paul Points/Reverse "{\"holderId\": \"$child\", \"transactionId\": \"$bought\"}"
allowed paul Points/History "{\"holderId\": \"$child\"}"
step "Dinner is ready: Paul reverses the redemption, for the whole minutes that are left; the ledger shows all of it, newest first:"
answered '"(kind|app|points)":'

chapter "7. Parent mode on Ann's tablet"
allowed annie Permissions/Check "{\"action\": \"family.enter_parent_mode\", \"entityId\": \"$family\"}"
is reason REASON_STEP_UP_REQUIRED
step "Annie's session alone does not open parent mode:"
answered '"reason":'
note annie gatehouse explain me family.enter_parent_mode "$family"
answer=$(as annie gatehouse explain me family.enter_parent_mode "$family") || failed "nothing was explained"
step "Why?"
sed 's/^/      /' <<<"$answer"
step "A wrong PIN is counted for her account; the tenth closes parent mode until a parent signs in:"
refused annie PIN_INVALID StepUp/VerifyFamilyPin "{\"familyId\": \"$family\", \"pin\": \"482916\"}"
parent_mode annie
GATEHOUSE_TOKEN=$opened allowed annie Families/GetDeviceContext '{"deviceId": "anns-tablet"}'
step "Paul types the right one on the tablet: five minutes of parent mode in her session, for the whole family:"
answered '"(mode|allowed|reason)":'

chapter "8. Another family sees nothing"
sign_up lena "Lena Lee"
step "To Lena the child does not exist:"
refused lena NOT_FOUND Points/Balances "{\"holderId\": \"$child\"}"
