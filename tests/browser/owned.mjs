// A demo whose owner has a password, with weeks of trade and a delivery that was given up.

import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { startDemo } from "./browser.mjs";

export const PASSWORD = "rye and spelt";
export const EMAIL = "owner@korenbloem.example";

/** The seconds from a failed attempt of a delivery to the next one; after the last one it is given up. */
const RETRIES = [60, 300, 1_800, 7_200, 21_600, 86_400];

/** The days of trade before today at each location. */
const DAYS = [[14, 8, 7, 6, 5, 4, 3, 2, 1, 0], [7, 1, 0]];

/** A receiver of webhooks, which refuses while it is broken. */
async function startReceiver() {
  const received = [];
  const receiver = { received, isBroken: false };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      received.push({ path: request.url, event: JSON.parse(body) });
      response.writeHead(receiver.isBroken ? 503 : 200).end(receiver.isBroken ? "closed" : "thanks");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  receiver.url = (path) => `http://127.0.0.1:${server.address().port}/${path}`;
  receiver.close = () => server.close();
  return receiver;
}

/** Waits until something holds. */
export async function until(holds, what) {
  for (let tries = 0; tries < 150; tries += 1) {
    if (await holds()) return;
    await wait(200);
  }
  throw new Error(`in thirty seconds ${what} did not happen`);
}

/** Starts the demo. Its owner comes in by the invitation in a context of the browser, and reads in a language. */
export async function startOwned(context, language, words) {
  const { server, welcome } = await startDemo();
  const receiver = await startReceiver();
  const close = async () => {
    receiver.close();
    const ended = once(server, "exit");
    server.kill();
    await ended;
  };
  const owned = { welcome, receiver, close };
  owned.at = (path) => new URL(path, welcome.adminUrl).href;
  owned.call = async (base, method, path, body) => {
    const headers = { authorization: `Bearer ${welcome.token}`, "content-type": "application/json" };
    const answer = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
    return { status: answer.status, id: answer.headers.get("x-request-id"), body: await answer.json() };
  };
  owned.api = (method, path, body) => owned.call(welcome.baseUrl, method, path, body);
  owned.sandbox = async (path, body) => {
    const { status, body: answer } = await owned.call(welcome.adminUrl, "POST", `/sandbox/v1${path}`, body);
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  owned.products = `/locations/${welcome.locations[0].id}/products`;
  try {
    const page = await context.newPage();
    await comeIn(page, owned, language, words);
    await giveUpDelivery(page, owned, words);
    await trade(owned);
    await page.close();
  } catch (error) {
    await close();
    throw error;
  }
  return owned;
}

/** Sets the password by the invitation, and the language. */
async function comeIn(page, { welcome, at }, language, words) {
  await page.goto(welcome.invitationUrl);
  await page.locator("#password").fill(PASSWORD);
  await page.getByLabel(words("new-password-repeated", { label: words("word-password") })).fill(PASSWORD);
  await page.getByRole("button", { name: words("invitation-set") }).click();
  await page.goto(at("/dashboard/account"));
  await page.locator("#language").selectOption(language);
  await page.locator("#own-name").fill("Sanne de Wit");
  await page.locator("form", { has: page.locator("#language") }).getByRole("button").click();
  await page.getByText(words("notice-account-changed")).waitFor();
}

/** Puts the clock ahead to an hour of the day in Amsterdam. */
async function advanceTo(owned, hour) {
  const { now: time } = await owned.sandbox("/clock", { advanceBySeconds: 1 });
  const format = { timeZone: "Europe/Amsterdam", hourCycle: "h23", hour: "numeric", minute: "numeric" };
  const [present, minute] = new Intl.DateTimeFormat("en-GB", format).format(new Date(time)).split(":");
  const minutes = (((hour - present) * 60 - minute + 24 * 60 - 1) % (24 * 60)) + 1;
  await owned.sandbox("/clock", { advanceBySeconds: minutes * 60 });
}

/** Makes a webhook whose receiver is broken, until the delivery of a change is given up. */
async function giveUpDelivery(page, owned, words) {
  const { receiver } = owned;
  // The delivery is then made yesterday, from whose beginning on deliveries are sent again by default.
  await advanceTo(owned, 3);
  receiver.isBroken = true;
  owned.broken = receiver.url("till-software");
  await page.goto(owned.at("/dashboard/webhooks/new"));
  await page.locator("#url").fill(owned.broken);
  for (const box of await page.locator("[name=event]").all()) {
    await box.setChecked((await box.getAttribute("value")) === "catalog.product.changed");
  }
  await page.locator("form", { has: page.locator("#url") }).getByRole("button").click();
  await page.locator("#shown-once").waitFor();
  const { body } = await owned.api("GET", owned.products);
  const [{ id }] = body.data;
  await owned.api("PATCH", `${owned.products}/${id}`, { description: "With whole grains." });
  // Read from the page: when the receiver has an attempt, its outcome is not yet kept.
  const failed = async (count) => {
    const states = ["webhooks-failing", "webhooks-probed"].map((state) => words(state, { count }));
    await until(async () => {
      await page.goto(owned.at("/dashboard/webhooks"));
      const row = await page.getByRole("row").last().innerText();
      return states.some((state) => row.includes(state));
    }, `failure ${count}`);
  };
  await failed(1);
  for (const [retry, seconds] of RETRIES.entries()) {
    // In steps shorter than the day after which an idle session ends.
    for (let left = seconds; left > 0; left -= 50_000) {
      await owned.sandbox("/clock", { advanceBySeconds: Math.min(left, 50_000) });
      await page.goto(owned.at("/dashboard/webhooks"));
    }
    await failed(retry + 2);
  }
  receiver.isBroken = false;
  receiver.received.length = 0;
}

/** Simulates days of trade up to the end of an afternoon. */
async function trade(owned) {
  await advanceTo(owned, 18);
  for (const [place, days] of DAYS.entries()) {
    const { id } = owned.welcome.locations[place];
    for (const day of days) await owned.sandbox(`/locations/${id}/days?daysAgo=${day}`);
  }
}
