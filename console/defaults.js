// What the viewer's applications show first: a portfolio, a property and a unit of their choice.

import { call } from "./api.js";
import { el, say, sentence, t } from "./base.js";
import { me, readMe } from "./main.js";
import { object, objectLink } from "./things.js";

const fields = { portfolio: "portfolioId", property: "propertyId", unit: "unitId" };
const chosen = { portfolio: "defaultPortfolioId", property: "defaultPropertyId", unit: "defaultUnitId" };

/** A button that has an object shown first, or no longer; null for what cannot be. */
export function firstButton(entity, done) {
  const field = fields[entity.type];
  if (!field) return null;
  const isFirst = me[chosen[entity.type]] === entity.id;
  return el("button", { type: "button", "aria-pressed": String(isFirst), click: async () => {
    try {
      await call("auth", "PUT", "users/me/defaults", { [field]: isFirst ? "" : entity.id });
      await readMe();
      say(t("done"));
      await done();
    } catch (problem) {
      say(sentence(problem), true);
    }
  } }, t("showFirst"));
}

/** Links to what is shown first, the uppermost first; undefined for nothing. */
export async function firstPlaces() {
  const found = (await Promise.all(Object.values(chosen).map((key) => me[key]).filter(Boolean).map((id) => object(id)))).filter(Boolean);
  if (found.length === 0) return undefined;
  return el("p", { class: "row" }, el("span", { class: "quiet" }, t("shownFirst")), found.map((one) => objectLink(one.id, one.name, one.type)));
}
