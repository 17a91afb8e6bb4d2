// The dashboard in a real browser: every page at two widths, light and dark, and the owner's work. And the API
// reference.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { WCAG_22, at, isTooWide, launch, violations, watch, welcome } from "./browser.mjs";
import { problemsOfDialogs, problemsOnPaper } from "./views.mjs";

const PASSWORD = "rye and spelt";

let browser, context, page, problems;

before(async () => {
  browser = await launch();
  // The pages have to work without scripts.
  context = await browser.newContext({ javaScriptEnabled: false });
  page = await context.newPage();
  problems = watch(page);
});

after(async () => {
  await browser?.close();
});

/** Calls the API with a token. */
const call = (token, path, options = {}) =>
  fetch(welcome.baseUrl + path, {
    ...options,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });

/** Waits until something holds. */
async function until(holds, what) {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`in ten seconds ${what} did not happen`);
}

/** A receiver of webhooks on a free port. */
async function receiver() {
  const received = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      received.push({ headers: request.headers, event: JSON.parse(body) });
      response.end("ok");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { received, url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

test("an owner comes in by the invitation, and signs out and in", async () => {
  await page.goto(welcome.invitationUrl);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Password once more").fill("something else");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByText("must be the same as the one above").waitFor();
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Password once more").fill(PASSWORD);
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByText("Your password is set").waitFor();
  const before = (await context.cookies()).find((cookie) => cookie.name === "connect-session");
  assert.ok(before.httpOnly && before.sameSite === "Lax");

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("You are signed out").waitFor();
  await page.goto(at("/dashboard/tokens"));
  assert.equal(new URL(page.url()).pathname, "/dashboard/sign-in");
  await page.getByLabel("E-mail address").fill("OWNER@korenbloem.example");
  await page.getByLabel("Password").fill("wrong password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("is wrong").waitFor();
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Tokens" }).waitFor();
  const signedIn = (await context.cookies()).find((cookie) => cookie.name === "connect-session");
  assert.notEqual(signedIn.value, before.value, "a session is made anew at each sign-in");

  await page.goto(welcome.invitationUrl);
  await page.getByRole("heading", { name: "no longer valid" }).waitFor();
});

test("a token is made, used, revoked and refused", async () => {
  await page.goto(at("/dashboard/tokens"));
  await page.getByRole("link", { name: "Create token" }).click();
  await page.getByLabel("Name").fill("<img src=x onerror=alert(1)>");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText("Tasks must be chosen").waitFor();
  const here = page.getByRole("group", { name: welcome.locations[0].name });
  await here.getByLabel("Read the catalog catalog:read").check();
  await page.getByRole("button", { name: "Create token" }).click();
  const token = await page.getByLabel("Token", { exact: true }).inputValue();
  assert.match(token, /^ck_test_[0-9A-Za-z]{43}$/);
  assert.ok((await page.locator("pre").textContent()).includes(`Bearer ${token}`));

  const products = `/locations/${welcome.locations[0].id}/products`;
  assert.equal((await call(token, products)).status, 200);
  assert.equal((await call(token, products, { method: "POST", body: "{}" })).status, 403);
  const elsewhere = `/locations/${welcome.locations[1].id}/products`;
  assert.equal((await call(token, elsewhere)).status, 403);

  await page.goto(at("/dashboard/tokens"));
  assert.ok(!(await page.content()).includes(token), "the value is shown once");
  await page.getByRole("link", { name: "<img" }).click();
  assert.equal(await page.getByText(`GET /v1${products}`).count(), 1);
  assert.equal(await page.getByText(`POST /v1${products}`).count(), 1);
  assert.equal(await page.locator(".tag.bad").count(), 2, "two were refused");
  assert.equal(await page.getByText(token).count(), 0);
  await page.getByRole("link", { name: "Back to the tokens" }).click();
  const revoke = page.getByRole("button", { name: /^Revoke <img/ });
  assert.ok(!(await revoke.isVisible()), "it asks first");
  await page.getByRole("row", { name: /<img/ }).getByText("Revoke…").click();
  const dialog = page.getByRole("dialog", { name: /^Revoke <img/ });
  const cancel = dialog.getByRole("button", { name: "Cancel" });
  assert.equal(await dialog.locator(":focus").innerText(), "Cancel");
  await cancel.click();
  assert.ok(!(await revoke.isVisible()), "nothing was done");
  await page.getByRole("row", { name: /<img/ }).getByText("Revoke…").click();
  await page.keyboard.press("Escape");
  assert.ok(!(await dialog.isVisible()), "Escape closes it as well");
  await page.getByRole("row", { name: /<img/ }).getByText("Revoke…").click();
  await revoke.click();
  await page.getByText("The token was revoked").waitFor();
  assert.equal((await call(token, products)).status, 401);
});

test("a webhook is made, tested, delivered, sent again, rolled and deleted", async () => {
  const endpoint = await receiver();
  try {
    await page.goto(at("/dashboard/webhooks/new"));
    await page.getByLabel("Endpoint URL").fill("http://192.168.0.1/");
    await page.getByLabel("stock.batch_changed").uncheck();
    await page.getByRole("button", { name: "Create webhook" }).click();
    const refused = page.getByLabel("Endpoint URL");
    assert.equal(await refused.getAttribute("aria-invalid"), "true");
    assert.equal(await refused.inputValue(), "http://192.168.0.1/", "it is still filled in");
    const problem = (await refused.getAttribute("aria-describedby")).split(" ")[0];
    assert.match(await page.locator(`#${problem}`).textContent(), /^Endpoint URL .+\.$/);
    assert.ok(!(await page.getByLabel("stock.batch_changed").isChecked()), "and still left out");
    assert.equal(await page.locator("[aria-invalid]").count(), 1);
    await page.getByLabel("Endpoint URL").fill(endpoint.url);
    await page.getByRole("button", { name: "Create webhook" }).click();
    const secret = await page.getByLabel("Signing secret").inputValue();
    await page.reload();
    await page.getByText("nothing was done this time").waitFor();
    await page.getByRole("link", { name: "Go to the webhooks" }).click();
    assert.equal(await page.getByRole("link", { name: endpoint.url }).count(), 1);
    assert.match(secret, /^whsec_/);
    await page.getByRole("link", { name: endpoint.url }).click();
    assert.ok(!(await page.content()).includes(secret), "the secret is shown once");

    await page.getByRole("button", { name: "Send test event" }).click();
    await until(() => endpoint.received.length === 1, "the ping");
    assert.equal(endpoint.received[0].event.type, "ping");
    await until(async () => {
      await page.reload();
      return (await page.locator("span.tag", { hasText: "Delivered" }).count()) > 0;
    }, "the line of the ping");
    await page.getByRole("link", { name: "ping" }).click();
    await page.getByText(`POST ${endpoint.url}`).waitFor();
    assert.equal(await page.locator("section pre").textContent(), "ok");
    await page.getByRole("button", { name: "Send again" }).click();
    await until(() => endpoint.received.length === 2, "the second ping");

    await page.goto(at(`/dashboard/products?at=${welcome.locations[0].id}`));
    await page.getByRole("checkbox").nth(0).check();
    await page.getByRole("checkbox").nth(1).check();
    await page.getByLabel("Price").fill("4,50");
    await page.getByRole("button", { name: "Set the price" }).click();
    await page.getByText("The products were changed").waitFor();
    await until(() => endpoint.received.length === 3, "the event of the products");
    const { event } = endpoint.received[2];
    assert.equal(event.type, "catalog.products.changed");
    assert.equal(event.data.reason, "bulk");
    assert.equal(event.data.ids.length, 2);
    assert.equal(event.data.deletedIds.length, 0);

    await page.goto(at("/dashboard/webhooks"));
    await page.getByRole("link", { name: endpoint.url }).click();
    await page.getByLabel("Test with").selectOption("order.created");
    await page.getByRole("button", { name: "Send test event" }).click();
    await until(() => endpoint.received.length === 4, "the test of a type");
    assert.equal(endpoint.received[3].event.type, "order.created");
    assert.equal(endpoint.received[3].event.sequence, 0);
    await until(async () => {
      await page.reload();
      return (await page.getByRole("checkbox").count()) === 4;
    }, "the check boxes of what can be sent again");
    await page.getByRole("checkbox").nth(0).check();
    await page.getByRole("checkbox").nth(1).check();
    await page.getByRole("button", { name: "Send the chosen ones again…" }).click();
    await page.getByRole("button", { name: "Send 2 again" }).click();
    await page.getByText("2 deliveries are sent again").waitFor();
    await until(() => endpoint.received.length === 6, "the chosen deliveries");
    await page.getByRole("link", { name: "Back to the webhook" }).click();
    await page.getByText("Roll secret…").click();
    await page.getByRole("dialog").getByRole("button", { name: "Roll secret" }).click();
    assert.notEqual(await page.getByLabel("The new secret").inputValue(), secret);
    await page.getByRole("link", { name: "Back to the webhook" }).click();
    await page.getByRole("button", { name: "Switch off" }).click();
    await page.getByText("The webhook is off").waitFor();
    await page.getByRole("button", { name: "Switch on" }).click();
    await page.getByText("The webhook is on").waitFor();
    await page.getByText("Delete webhook…").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete webhook" }).click();
    await page.getByText("The webhook was deleted").waitFor();
  } finally {
    endpoint.close();
  }
});

test("without a screen the API is not available", async () => {
  const { token } = welcome;
  assert.equal((await call(token, "/locations")).status, 200);
  await page.goto(at("/dashboard/screens"));
  for (let left = await page.getByText("Remove…").count(); left > 0; left -= 1) {
    await page.getByText("Remove…").first().click();
    await page.getByRole("dialog").getByRole("button", { name: /^Remove/ }).click();
    await page.getByText("The screen was removed").waitFor();
  }
  const refused = await call(token, "/locations");
  assert.equal(refused.status, 403);
  assert.equal((await refused.json()).error.code, "api_not_available");
  await page.goto(at("/dashboard"));
  await page.getByText("The API is not available").waitFor();

  await page.goto(at("/dashboard/screens"));
  await page.getByLabel("Name").fill('Till "1" <script>alert(1)</script>');
  await page.getByLabel("Type").selectOption({ label: "Register" });
  await page.getByRole("button", { name: "Add screen" }).click();
  await page.getByText("The screen was added").waitFor();
  assert.equal((await call(token, "/locations")).status, 200);
  await page.getByRole("button", { name: /^Create key for/ }).click();
  const key = page.getByLabel("Key", { exact: true });
  assert.match(await key.inputValue(), /^dk_/);
  // Another key takes a step more, as the screen stops writing with the one before.
  await page.getByRole("link", { name: "Back to the screens" }).click();
  const replace = page.getByRole("button", { name: /^Replace key of/ });
  assert.ok(!(await replace.isVisible()));
  await page.getByText("Replace key…").click();
  await replace.click();
  assert.match(await key.inputValue(), /^dk_/);
});

test("a shop is simulated, and its books show it", async () => {
  const [location] = welcome.locations;
  await page.goto(at(`/dashboard/sandbox?at=${location.id}`));
  for (const [button, done] of [
    ["Sell something", "The receipt is in the journal"],
    ["Take the last sale back", "The receipt is in the journal"],
    ["Order something", "The order is among the orders"],
    ["Move an order on", "The order is among the orders"],
    ["Close the register", "The register was closed"],
    ["A day of trade", "A day of trade is in the journal"],
  ]) {
    await page.getByRole("button", { name: button }).click();
    await page.getByText(done).waitFor();
  }
  const journal = await call(welcome.token, `/locations/${location.id}/transactions?limit=200`);
  const rows = (await journal.json()).data;
  assert.equal(rows.filter((row) => row.type === "sale").length, 61);
  assert.equal(rows.filter((row) => row.type === "refund").length, 4);
  await page.goto(at(`/dashboard?period=week&at=${location.id}`));
  const inShop = { weekday: "short", timeZone: "Europe/Amsterdam" };
  const today = new Date().toLocaleDateString("en-GB", inShop);
  const place = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(today);
  const bar = await page.locator(".chart rect.now").nth(place).boundingBox();
  assert.ok(bar.height > 20, "the day has a bar that can be seen");
  const drawn = await page.locator(".bars svg[role=img]").count();
  assert.ok(drawn >= 4, "payments, VAT, products and locations are drawn");
  await page.goto(at(`/dashboard/journal?at=${location.id}`));
  // The list begins with the newest.
  const { receiptNumber } = rows.findLast((row) => row.type === "sale");
  await page.getByRole("link", { name: `${receiptNumber}`, exact: true }).click();
  await page.getByRole("heading", { name: `Sale ${receiptNumber}` }).waitFor();
  await page.goto(at(`/dashboard/orders?at=${location.id}`));
  assert.equal(await page.getByText("Completed").count(), 6 + 1, "with the choice of a state");

  // The same by programs, with a token of the sandbox.
  const simulate = (what, token) =>
    fetch(new URL(`/sandbox/v1/locations/${location.id}/${what}`, welcome.adminUrl), {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
  const sale = await simulate("sales", welcome.token);
  assert.equal(sale.status, 201);
  assert.equal((await sale.json()).data.type, "sale");
  assert.equal((await simulate("sales", "ck_test_0")).status, 401);
  assert.equal((await simulate("floods", welcome.token)).status, 404);
  assert.equal((await simulate("days?daysAgo=91", welcome.token)).status, 400);

  await page.goto(at(`/dashboard/sandbox?at=${location.id}`));
  await page.getByLabel("by", { exact: true }).selectOption("an hour");
  await page.getByRole("button", { name: "Put the clock ahead" }).click();
  await page.getByText("The clock was put ahead").waitFor();
  await page.getByText("ahead of the real time").waitFor();
});

/** A site of somebody else with this page: of another port, whose browser sends the owner's cookies along. */
async function elsewhere(content) {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(request.url === "/plain" ? "<h1>Nothing to protect</h1>" : content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

test("forms of other sites are refused", async () => {
  const grant = `${welcome.locations[0].id} catalog:read`;
  const site = await elsewhere(`<form method=post action="${at("/dashboard/tokens")}">
    <input name=name value="Stolen"><input name=grant value="${grant}"><button>Win</button></form>`);
  const attacked = await context.newPage();
  try {
    await attacked.goto(site.url);
    const [request] = await Promise.all([
      attacked.waitForRequest(at("/dashboard/tokens")),
      attacked.getByRole("button", { name: "Win" }).click(),
    ]);
    const sent = await request.allHeaders();
    assert.match(sent.cookie ?? "", /connect-session=/, "the browser sends the owner's cookie along");
    assert.equal((await request.response()).status(), 403);
    await attacked.getByText("This form is too old, or did not come from the dashboard").waitFor();
    await page.goto(at("/dashboard/tokens"));
    assert.equal(await page.getByText("Stolen").count(), 0);

    // Not even with a token of the owner's own, which somebody has seen: the browser tells on them.
    const csrf = await page.locator("input[name=csrf]").first().inputValue();
    const answered = await page.request.post(at("/dashboard/tokens"), {
      form: { csrf, name: "Stolen", grant },
      headers: { "sec-fetch-site": "cross-site" },
    });
    assert.equal(answered.status(), 403);
    // The same form from a page of ours does it, so nothing else was in its way.
    const done = await page.request.post(at("/dashboard/tokens"), {
      form: { csrf, name: "Not stolen", grant },
    });
    assert.equal(done.status(), 200);
  } finally {
    await attacked.close();
    site.close();
  }
});

test("pages of the dashboard stay out of frames of other sites", async () => {
  const framed = (name, url) => `<iframe name="${name}" src="${url}" width=600 height=400></iframe>`;
  const site = await elsewhere(framed("plain", "/plain") + framed("owned", at("/dashboard/tokens")));
  const attacked = await context.newPage();
  try {
    const asked = attacked.waitForRequest(at("/dashboard/tokens"));
    await attacked.goto(site.url);
    const sent = await (await asked).allHeaders();
    assert.match(sent.cookie ?? "", /connect-session=/, "the frame is asked for as its owner");
    // A frame that nobody forbids is shown, so frames work here.
    await attacked.frame("plain").getByRole("heading", { name: "Nothing to protect" }).waitFor();
    await attacked.waitForLoadState("networkidle");
    const frame = attacked.frame("owned");
    assert.equal(await frame.getByRole("heading").filter({ hasText: "Tokens" }).count(), 0);
    assert.equal(await frame.locator("form").count(), 0, "there is nothing to click");
  } finally {
    await attacked.close();
    site.close();
  }
});

test("the API reference shows the samples of the chosen language", async () => {
  const reading = await browser.newContext({ viewport: { width: 360, height: 900 } });
  const reference = await reading.newPage();
  await reference.goto(`${welcome.baseUrl}/docs`);
  const samples = reference.locator("#createProduct .sample");
  for (const language of ["Rust", "TypeScript", "Python", "curl"]) {
    await reference.locator("header").getByText(language, { exact: true }).click();
    const shown = samples.filter({ visible: true });
    assert.deepEqual(await shown.locator("figcaption").allTextContents(), [language]);
  }
  assert.ok(!(await isTooWide(reference)), "wider than the window");
  assert.deepEqual(await violations(reference), []);
  await reading.close();
});

test("every page is whole at every width and on paper, in light and in dark", async () => {
  mkdirSync("screenshots", { recursive: true });
  const pages = ["", "/usage", "/search", "/search?q=bread", "/requests", "/components", "/journal", "/journal/z-reports", "/orders", "/products", "/products?edit=new", "/products/import", "/stock", "/stock/count"];
  pages.push("/components?sort=-total", "/journal?sort=total", "/sandbox", "/tokens", "/tokens/new", "/webhooks", "/webhooks/new", "/screens", "/screens/names", "/account");
  pages.push("/account/email", "/account/password", "/account/second-factor", "/account/passkeys", "/account/single-sign-on", "/users", "/activity", "/privacy", "/privacy/export");
  const state = await context.storageState();
  const found = [];
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [360, 1440]) {
      const looking = await browser.newContext({
        storageState: state,
        colorScheme,
        viewport: { width, height: 900 },
      });
      const looked = await looking.newPage();
      const errors = watch(looked);
      for (const path of pages) {
        await looked.goto(at(`/dashboard${path}`));
        const name = `${path.slice(1).replaceAll("/", "-") || "overview"}-${width}-${colorScheme}`;
        await looked.screenshot({ path: `screenshots/${name}.png`, fullPage: true });
        if (await isTooWide(looked)) found.push(`${name}: wider than the window`);
        for (const violation of await violations(looked, WCAG_22)) found.push(`${name}: ${violation}`);
      }
      found.push(...errors);
      await looking.close();
    }
  }
  // A window of 1280 pixels at 200 %; the dialogs in it; and the same on paper.
  const zoomed = await browser.newContext({
    storageState: state,
    viewport: { width: 640, height: 450 },
    deviceScaleFactor: 2,
  });
  const looked = await zoomed.newPage();
  for (const path of pages) {
    await looked.goto(at(`/dashboard${path}`));
    if (await isTooWide(looked)) found.push(`${path}: wider than the window at 200 %`);
    const more = [...(await problemsOfDialogs(looked)), ...(await problemsOnPaper(looked))];
    found.push(...more.map((problem) => `${path}: ${problem}`));
  }
  await zoomed.close();
  assert.deepEqual(found, []);
  assert.deepEqual(problems, []);
});
