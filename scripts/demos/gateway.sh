# The day of the smart home by curl alone, through Envoy; scripts/demo reads it.
# shellcheck shell=bash

readonly api=https://localhost:8443/api/v1

# --- curl ------------------------------------------------------------------------------------------

# curlrc WHO [TOKEN]: what curl does for them by itself; a token does not belong on a command line.
curlrc() {
  mkdir -p "$data/home/$1"
  {
    printf '%s\n' silent show-error "cacert = $data/gateway.pem"
    [[ -z ${2-} ]] || printf '%s\n' "header = \"authorization: Bearer $2\""
  } >"$data/home/$1/.curlrc"
}

# call WHO WORD…: types curl; its status is in $status, what it got in $answer, in lines if it was an answer
# of one object.
call() {
  local who=$1 got
  shift
  note "$who" curl "$@"
  got=$(cd "$data/home/$who" && CURL_HOME=$PWD curl --write-out '\n%{http_code}' "$@") || failed "$who got no answer: $*"
  status=${got##*$'\n'}
  answer=$(python3 -c '
import json, sys
text = sys.stdin.read()
try:
    whole = json.loads(text)
    print(json.dumps(whole.get("data", whole), indent=2, ensure_ascii=False))
except ValueError:
    print(text)' <<<"${got%$'\n'*}")
}

# allowed WHO WORD…: the call must succeed.
allowed() {
  call "$@"
  [[ $status == 20[01] ]] || failed "$1 should have been allowed: ${*:2}: $status $answer"
}

# refused WHO STATUS REASON WORD…: the call must be refused with them; both stand below the command.
refused() {
  local who=$1 expected=$2 reason=$3
  shift 3
  call "$who" "$@"
  [[ $status == "$expected" ]] || failed "$who should have got $expected, not $status: $*"
  grep -q "\"$reason\"" <<<"$answer" || failed "$who was refused for another reason: $answer"
  shown "${commands[0]}"
  shown "$status $reason: $(field message "$answer")"
  commands=()
}

# sign_in WHO PATH REQUEST: what the answer of that path has goes into curl's settings; the user is in $user.
sign_in() {
  local who=$1 path=$2
  curlrc "$who"
  printf '%s\n' "$3" >"$data/home/$who/request.json"
  allowed "$who" "$api/auth/$path" --json @request.json
  user=$(sed -nE 's/.*"id": "(usr_[^"]+)".*/\1/p' <<<"$answer" | head -n 1)
  curlrc "$who" "$(sed -nE 's/.*"accessToken": "([^"]+)".*/\1/p' <<<"$answer")"
}

# sign_up WHO NAME: makes an account.
sign_up() {
  sign_in "$1" signup \
    "{\"email\": \"$1@example.com\", \"password\": \"$GATEHOUSE_PASSWORD\", \"displayName\": \"$2\"}"
}

# --- the day ---------------------------------------------------------------------------------------

chapter "1. The owner sets up"
sign_up ada "Ada Owner"
step "Ada signs up: $user. Everybody's .curlrc names the gateway's certificate and, from now on, their token"
allowed ada "$api/portfolios" --json '{"name": "Harbour Homes"}'
portfolio=$(field id "$answer")
step "She creates a portfolio and becomes its owner: $portfolio"
allowed ada "$api/portfolios/$portfolio/properties" --json '{"name": "Pier 4", "address": {"city": "Hamburg"}}'
property=$(field id "$answer")
step "She adds a property to it: $property"
sign_up grace "Grace Manager"
manager=$user
allowed ada -X PUT "$api/properties/$property" --json "{\"managerUserIds\": [\"$manager\"]}"
step "Grace signs up, and Ada makes her the property's manager"

chapter "2. The manager sets up the building"
allowed grace "$api/properties/$property/units" --json '{"name": "Flat 1"}'
unit=$(field id "$answer")
allowed grace "$api/devices" --json "{\"propertyId\": \"$property\", \"unitId\": \"$unit\", \"name\": \"Front door\", \"type\": \"lock\", \"attributes\": {\"auto_lock_seconds\": 30}}"
door=$(field id "$answer")
step "Grace adds a flat ($unit) and its front door ($door)"
allowed grace -X POST "$api/devices/$door/lock"
step "She locks the door"
step "She may not delete the property:"
refused grace 403 ROLE_LACKS_ACTION -X DELETE "$api/properties/$property"

chapter "3. The tenant moves in"
sign_up tom "Tom Tenant"
tenant=$user
step "Before he moves in, Tom cannot even tell that the flat exists:"
refused tom 404 NOT_FOUND "$api/units/$unit"
allowed grace "$api/units/$unit/tenants" --json "{\"userId\": \"$tenant\"}"
allowed tom "$api/devices"
step "Grace makes him the tenant: his list of devices has $(grep -c '"propertyId"' <<<"$answer") entry"
allowed tom -X POST "$api/devices/$door/unlock"
step "He unlocks his door"
step "He may not rename it:"
refused tom 403 ROLE_LACKS_ACTION -X PATCH "$api/devices/$door" --json '{"name": "My door"}'

chapter "4. A guest visits"
sign_up gus "Gus Guest"
allowed tom "$api/guest-passes" --json "{\"userId\": \"$user\", \"deviceIds\": [\"$door\"], \"validFrom\": \"$(instant '+1 hour')\", \"validUntil\": \"$(instant '+2 hours')\"}"
pass=$(sed -nE 's/.*"id": "(asc_[^"]+)".*/\1/p' <<<"$answer" | head -n 1)
step "Tom gives Gus a pass for the door that starts in an hour; Gus tries it right away:"
refused gus 403 NOT_YET_VALID -X POST "$api/devices/$door/unlock"
allowed tom -X PATCH "$api/guest-passes/$pass" --json "{\"validFrom\": \"$(instant '-1 second')\"}"
allowed gus -X POST "$api/devices/$door/unlock"
step "Tom moves the start to now, and Gus gets in"
allowed tom -X PATCH "$api/guest-passes/$pass" --json "{\"validUntil\": \"$(instant '+1 second')\"}"
step "Tom lets the pass end in a second; after that, Gus no longer gets in:"
asked=("$api/permissions/check" --json "{\"action\": \"device.unlock\", \"entityId\": \"$door\"}")
for attempt in {1..100}; do
  allowed gus "${asked[@]}"
  [[ $(field allowed "$answer") == true ]] || break
  ((attempt < 100)) || failed "the pass did not end"
  sleep 0.1
done
commands=()
refused gus 403 EXPIRED -X POST "$api/devices/$door/unlock"
allowed grace "$api/devices/$door/history"
step "The door's history shows all of it, refused attempts included, newest first:"
paste -d' ' \
  <(grep '"operation"' <<<"$answer") <(grep '"reason"' <<<"$answer") |
  sed -E 's/[",]//g; s/ +/ /g; s/^/      /'

chapter "5. A stranger looks around"
sign_up mallory Mallory
step "To Mallory, a door she may not see and a door that does not exist look the same:"
refused mallory 404 NOT_FOUND "$api/devices/$door"
refused mallory 404 NOT_FOUND "$api/devices/dev_made_up"
step "What she says about herself does not get past the gateway:"
refused mallory 404 NOT_FOUND "$api/devices/$door" -H "x-user-id: $tenant" -H "x-user-roles: tenant"
curlrc nobody
step "Without a token nobody gets further than the gateway:"
refused nobody 401 CREDENTIALS_INVALID "$api/devices"

chapter "6. Ada buys the Compliance Pack, reads a report, and gets a refund"
product=com.unifiedsmarthome.compliancepack1 purchase=$(date +%s%N | head -c 16)
has_pack() {
  allowed ada "$api/users/me"
  [[ $(field hasCompliancePack "$answer") == "$1" ]] || failed "hasCompliancePack is not $1"
}
# proof [--refunded]: what the App Store would have signed.
proof() {
  printf '{"signedTransaction": "%s"}\n' \
    "$(scripts/test-store transaction "$data/store" "$product" "$purchase" "$@")"
}
proof >"$data/home/ada/purchase.json"
allowed ada "$api/iap/transactions" --json @purchase.json
has_pack true
step "The purchase is verified against the test store's root certificate, and her profile shows the pack"
from=$(date -u -d '-1 hour' +%Y-%m-%dT%H:%M:%SZ)
allowed ada "$api/reports/$portfolio?from=$from"
[[ $(tail -n 1 <<<"$answer") == '{"status":"success"}' ]] || failed "the report broke off: $answer"
step "She reads the compliance report of the last hour, whose lines are:"
grep -o '\\"kind\\":\\"[a-z]*' <<<"$answer" | sed 's/.*"//' | sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/      \1 \2/'
proof --refunded >"$data/home/ada/refund.json"
allowed ada "$api/iap/transactions" --json @refund.json
has_pack false
step "After the refund the pack is gone"
allowed ada "$api/iap/transactions" --json @purchase.json
has_pack false
step "Replaying the old proof of purchase does not bring it back"

chapter "7. Ada loses her phone"
sign_in laptop login "{\"email\": \"ada@example.com\", \"password\": \"$GATEHOUSE_PASSWORD\"}"
allowed laptop -X POST "$api/users/me/sessions/revoke-others"
step "She signs in on her laptop and ends all other sessions; the phone is refused immediately:"
refused ada 401 CREDENTIALS_INVALID "$api/portfolios"

chapter "8. TenancyService is killed"
kill -KILL "$(<"$data/tenancy.pid")"
note operator kill -KILL "$(<"$data/tenancy.pid")"
call laptop "$api/devices/$door"
[[ $status == 503 ]] || failed "there was an answer without TenancyService: $status $answer"
step "The gateway refuses everything that TenancyService would have to decide: $status"
note operator tenancy-service --config "$data/tenancy.json"
started=$(date +%s%N)
tenancy-service --config "$data/tenancy.json" >>"$data/tenancy.log" 2>&1 &
echo $! >"$data/tenancy.pid"
until [[ $status == 200 ]]; do
  kill -0 "$(<"$data/tenancy.pid")" || failed "it did not start again: $(tail -n 1 "$data/tenancy.log")"
  ((($(date +%s%N) - started) < 30000000000)) || failed "the gateway did not find it again: $status $answer"
  commands=("${commands[0]}")
  call laptop "$api/devices/$door"
done
step "The gateway has found it again after $((($(date +%s%N) - started) / 1000000)) ms, and nothing is lost"
