// The shop of the demo, and what the clients compare.

import assert from "node:assert/strict";

/** The line that `connect-server demo --json` prints. */
interface Welcome {
  baseUrl: string;
  adminUrl: string;
  token: string;
  locations: { id: string; name: string }[];
  screens: { locationId: string; type: string; key: string }[];
}

const welcome: Welcome = JSON.parse(process.env.CONNECT_WELCOME ?? "");

export const { baseUrl, token } = welcome;
export const locationId = welcome.locations[0].id;
export const deviceUrl = `${welcome.adminUrl}/device/v1`;

/** The key of a screen of this type at the location. */
export function key(type: string): string {
  const screen = welcome.screens.find(
    (screen) => screen.type === type && screen.locationId === locationId,
  );
  assert(screen, `the demo has no screen of type ${type}`);
  return screen.key;
}

/** Checks that a change of one field left all others as they were. */
export function onlyPriceChanged<T extends { priceCents: number; updatedAt: string }>(
  before: T,
  after: T,
) {
  assert.notEqual(after.priceCents, before.priceCents);
  const { priceCents, updatedAt } = before;
  assert.deepEqual({ ...after, priceCents, updatedAt }, before);
}

/** Checks the pages of a list that was read one record at a time. */
export function differ(ids: string[]) {
  assert.equal(new Set(ids).size, ids.length, `a record stands on two pages: ${ids}`);
}

/** Reports a step that did what it should. */
export function done(client: string, steps: string[]) {
  console.log(`${client}: ${steps.join(", ")}`);
}
