# The day of a family whose children earn screen time; scripts/demo reads it.
# shellcheck shell=bash

chapter "1. Olive sets up the family"
sign_up olive "Olive Kerr"
allowed olive Entities/Create '{"entity": {"type": "family", "name": "Kerr"}}'
family=$(field id "$answer")
allowed olive Entities/Create "{\"entity\": {\"type\": \"child\", \"parentId\": \"$family\", \"name\": \"Ann\", \"attributes\": {\"avatar\": \"fox\", \"birth_year\": 2016}}}"
child=$(field id "$answer")
step "Olive signs up, makes the family and is its organizer, and adds a profile for her child: $child"
for name in Paul Gwen Annie; do sign_up "${name,,}" "$name Kerr"; done
for who in "paul parent" "gwen guardian"; do
  read -r name role <<<"$who"
  allowed olive Invitations/Create "{\"entityId\": \"$family\", \"role\": \"$role\", \"email\": \"$name@example.com\"}"
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
allowed paul Points/SetRule "{\"holderId\": \"$child\", \"rule\": {\"app\": \"com.example.math\", \"pointsPerMinute\": 2, \"pointsPerRewardMinute\": 4}}"
allowed paul Points/SetRule "{\"holderId\": \"$child\", \"rule\": {\"app\": \"com.example.reading\", \"pointsPerMinute\": 1, \"pointsPerRewardMinute\": 4}}"
step "A minute of mathematics earns two points, one of reading one; four points buy a minute"
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
refused annie PERMISSION_DENIED Points/Reverse "{\"holderId\": \"$child\", \"transactionId\": \"$bought\"}"
allowed paul Points/Reverse "{\"holderId\": \"$child\", \"transactionId\": \"$bought\"}"
allowed paul Points/History "{\"holderId\": \"$child\"}"
step "Dinner is ready: Paul reverses the redemption, for the whole minutes that are left; the ledger shows all of it, newest first:"
answered '"(kind|app|points)":'

chapter "7. Parent mode asks for the PIN"
allowed paul Permissions/Check "{\"action\": \"family.enter_parent_mode\", \"entityId\": \"$family\"}"
is reason REASON_STEP_UP_REQUIRED
step "A parent's session alone does not open parent mode:"
answered '"reason":'
note paul gatehouse explain me family.enter_parent_mode "$family"
answer=$(as paul gatehouse explain me family.enter_parent_mode "$family") || failed "nothing was explained"
step "Why?"
sed 's/^/      /' <<<"$answer"

chapter "8. Another family sees nothing"
sign_up lena "Lena Lee"
step "To Lena the child does not exist:"
refused lena NOT_FOUND Points/Balances "{\"holderId\": \"$child\"}"
