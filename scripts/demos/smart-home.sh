# The day of the smart home; scripts/demo reads it.
# shellcheck shell=bash

chapter "1. The owner sets up"
sign_up ada "Ada Owner"
step "Ada signs up: $user"
allowed ada Portfolios/Create '{"name": "Harbour Homes"}'
portfolio=$(field id "$answer")
step "She creates a portfolio and becomes its owner: $portfolio"
allowed ada Portfolios/CreateProperty "{\"portfolioId\": \"$portfolio\", \"name\": \"Pier 4\", \"address\": {\"city\": \"Hamburg\"}}"
property=$(field id "$answer")
step "She adds a property to it: $property"
sign_up grace "Grace Manager"
manager=$user
allowed ada Properties/AddManager "{\"propertyId\": \"$property\", \"userId\": \"$manager\"}"
step "Grace signs up, and Ada makes her the property's manager"

chapter "2. The manager sets up the building"
allowed grace Properties/CreateUnit "{\"propertyId\": \"$property\", \"name\": \"Flat 1\"}"
unit=$(field id "$answer")
allowed grace Devices/Register "{\"propertyId\": \"$property\", \"unitId\": \"$unit\", \"name\": \"Front door\", \"type\": \"lock\", \"attributes\": {\"auto_lock_seconds\": 30}}"
door=$(field id "$answer")
step "Grace adds a flat ($unit) and its front door ($door)"
allowed grace Devices/Operate "{\"deviceId\": \"$door\", \"operation\": \"lock\"}"
step "She locks the door"
step "She may not delete the property:"
refused grace PERMISSION_DENIED Properties/Delete "{\"propertyId\": \"$property\"}"

chapter "3. The tenant moves in"
sign_up tom "Tom Tenant"
tenant=$user
step "Before he moves in, Tom cannot even tell that the flat exists:"
refused tom NOT_FOUND Units/Get "{\"unitId\": \"$unit\"}"
allowed grace Units/AddTenant "{\"unitId\": \"$unit\", \"userId\": \"$tenant\"}"
allowed tom Devices/List '{}'
step "Grace makes him the tenant: his list of devices has $(grep -c '"id"' <<<"$answer") entry"
allowed tom Devices/Operate "{\"deviceId\": \"$door\", \"operation\": \"unlock\"}"
step "He unlocks his door"
step "He may not rename it:"
refused tom PERMISSION_DENIED Devices/Update "{\"deviceId\": \"$door\", \"name\": \"My door\"}"
if $go; then
  commands+=("tom\$ TOKEN=\$(gatehouse token) .build/interop/unlock $door")
  [[ $(TOKEN=$(as tom gatehouse token) .build/interop/unlock "$door") == true ]] || failed "the Go client was refused"
  step "A Go program using containerd's own ttrpc library asks whether he may unlock it: true"
fi

chapter "4. A guest visits"
sign_up gus "Gus Guest"
guest=$user
allowed tom Guests/Grant "{\"userId\": \"$guest\", \"deviceIds\": [\"$door\"], \"validFrom\": \"$(instant '+1 hour')\", \"validUntil\": \"$(instant '+2 hours')\"}"
pass=$(sed -nE 's/.*"id": "(asc_[^"]+)".*/\1/p' <<<"$answer" | head -n 1)
step "Tom gives Gus a pass for the door that starts in an hour; Gus tries it right away:"
refused gus NOT_YET_VALID Devices/Operate "{\"deviceId\": \"$door\", \"operation\": \"unlock\"}"
allowed tom Guests/Update "{\"passId\": \"$pass\", \"validFrom\": \"$(instant '-1 second')\", \"validUntil\": \"$(instant '+3 seconds')\"}"
allowed gus Devices/Operate "{\"deviceId\": \"$door\", \"operation\": \"unlock\"}"
step "Tom moves the start to now, and Gus gets in"
step "Three seconds later the pass has expired:"
sleep 3
refused gus EXPIRED Devices/Operate "{\"deviceId\": \"$door\", \"operation\": \"unlock\"}"
allowed grace Devices/ListHistory "{\"deviceId\": \"$door\"}"
step "The door's history shows all of it, refused attempts included, newest first:"
paste -d' ' \
  <(grep '"operation"' <<<"$answer") <(grep '"reason"' <<<"$answer") |
  sed -E 's/[",]//g; s/ +/ /g; s/^/      /'

chapter "5. A stranger looks around"
sign_up mallory Mallory
step "To Mallory, a door she may not see and a door that does not exist look the same:"
refused mallory NOT_FOUND Devices/Get "{\"deviceId\": \"$door\"}"
refused mallory NOT_FOUND Devices/Get '{"deviceId": "dev_made_up"}'

chapter "6. Ada buys the Compliance Pack, reads a report, and gets a refund"
product=com.unifiedsmarthome.compliancepack1
has_pack() { grep -q '"hasCompliancePack": true' <<<"$(as ada gatehouse whoami)"; }
note ada scripts/test-store buy "$product" --data "$data"
answer=$(as ada scripts/test-store buy "$product" --data "$data") || failed "Ada could not buy the pack"
bought=$(sed -nE 's/^    "transactionId": "([0-9]+)".*/\1/p' <<<"$answer")
note ada gatehouse whoami
has_pack || failed "the pack is missing"
step "The purchase is verified against the test store's root certificate, and whoami shows the pack"
from=$(date -u -d '-1 hour' +%Y-%m-%dT%H:%M:%SZ)
note ada gatehouse report "$portfolio" --from "$from" --output "$data/report.csv"
as ada gatehouse report "$portfolio" --from "$from" --output "$data/report.csv" >/dev/null 2>&1 ||
  failed "there is no report"
step "She reads the compliance report of the last hour, whose lines are:"
tail -n +2 "$data/report.csv" | cut -d, -f1 | sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/      \1 \2/'
note ada gatehouse report --verify "$data/report.csv"
as ada gatehouse report --verify "$data/report.csv" >/dev/null 2>&1 || failed "the report is not as it was signed"
sed 's/guest/owner/' "$data/report.csv" >"$data/changed.csv"
! as ada gatehouse report --verify "$data/changed.csv" >/dev/null 2>&1 || failed "a change went unnoticed"
step "It is as the service signed it; with one word changed, it would not be"
note ada scripts/test-store buy "$product" --data "$data" --refunded "$bought"
as ada scripts/test-store buy "$product" --data "$data" --refunded "$bought" >/dev/null || failed "no refund"
! has_pack || failed "the pack survived its refund"
step "After the refund the pack is gone"
as ada gatehouse call Purchases/SubmitTransaction "{\"signedTransaction\": \"$(<"$data/store/$bought.jws")\"}" \
  >/dev/null || failed "the old proof of purchase was refused"
! has_pack || failed "a replay brought the pack back"
step "Replaying the old proof of purchase does not bring it back"

chapter "7. Ada loses her phone"
note laptop gatehouse login ada@example.com
as laptop gatehouse login ada@example.com >/dev/null || failed "Ada could not sign in on her laptop"
allowed laptop Sessions/RevokeOthers '{}'
step "She signs in on her laptop and ends all other sessions; TenancyService refuses the phone immediately:"
refused ada UNAUTHENTICATED Portfolios/List '{}'

chapter "8. TenancyService is killed"
kill -KILL "$(<"$data/tenancy.pid")"
started=$(date +%s%N)
note operator kill -KILL "$(<"$data/tenancy.pid")"
note operator tenancy-service --config "$data/tenancy.json"
tenancy-service --config "$data/tenancy.json" >>"$data/tenancy.log" 2>&1 &
echo $! >"$data/tenancy.pid"
until tenancy-service probe --config "$data/tenancy.json" >/dev/null 2>&1; do
  kill -0 "$(<"$data/tenancy.pid")" || failed "it did not start again: $(tail -n 1 "$data/tenancy.log")"
done
step "It is serving again after $((($(date +%s%N) - started) / 1000000)) ms"
allowed laptop Devices/Get "{\"deviceId\": \"$door\"}"
step "Nothing is lost"
