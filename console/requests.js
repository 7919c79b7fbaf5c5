// One request by its number, as the audit logs of the three services have it.

import { get, query } from "./api.js";
import { card, el, field, form, input, t } from "./base.js";
import { forSupport, remember } from "./main.js";
import { auditTable } from "./person.js";

const logs = [["auth", "operators/audit"], ["tenancy", "audit/tenancy"], ["entitlement", "audit/entitlement"]];

export default async function requests({ values, page }) {
  if (!(await forSupport())) return;
  const number = field(t("requestNumber"), input({ name: "id", required: true, maxLength: 64, autocomplete: "off", value: values.get("id") ?? "" }), t("requestHint"));
  const results = el("div", { class: "stack" });
  const look = async () => {
    const id = number.input.value.trim();
    remember({ id });
    const cards = logs.map(([service, path]) => card(t(`service.${service}`), async () =>
      auditTable((await get(service, `${path}?${query({ requestId: id, limit: 50 })}`)).entries), { wide: true }));
    results.replaceChildren(...cards);
    await Promise.all(cards.map((one) => one.ready));
  };
  page(t("nav.requests"), el("div", { class: "stack" }, card(t("search"), () => form([number], t("find"), look), { wide: true }), results), { text: t("requestsText") });
  if (number.input.value) await look();
}
