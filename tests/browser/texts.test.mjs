// Every page in a real browser, where every text that others may write is code if it is not escaped.

import assert from "node:assert/strict";
import { test } from "node:test";
import { launch } from "./browser.mjs";
import { filled } from "./shop.mjs";

const EVIL =
  "javascript:alert(1)//\"><script>alert(2)</script><img src=x onerror='alert(3)'>";
const SHORT = "\"><img src=x onerror='alert(4)'>";
const EMAIL = '"<script>alert(5)</script>"@shops.example';

/** What must not be on a page: nothing of this is ours. */
const CODE = [
  "script, img, iframe, object, embed, svg script",
  ...["onerror", "onload", "onclick", "onfocus"].map((name) => `[${name}]`),
  ..."href src action formaction".split(" ").map((name) => `[${name}^="javascript:" i]`),
].join(", ");

test("texts of others are texts on every page", async () => {
  const shop = await filled(EVIL, SHORT, EMAIL);
  const browser = await launch();
  try {
    // Without the policy, so that whatever is not escaped runs.
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    const found = [];
    page.on("dialog", (dialog) => {
      found.push(`${page.url()}: a dialog says ${dialog.message()}`);
      dialog.dismiss();
    });
    // The check itself is seen to work.
    await page.setContent(`<p>${EVIL}</p>`);
    await page.waitForTimeout(200);
    assert.ok(found.length > 0 && (await page.locator(CODE).count()) > 0);
    found.length = 0;

    await page.goto(shop.invitation);
    for (const label of ["Password", "Password once more"]) {
      await page.getByLabel(label, { exact: true }).fill("rye and spelt");
    }
    await page.getByRole("button", { name: "Set password" }).click();
    const at = (path) => new URL(path, shop.adminUrl).href;
    await page.goto(at("/dashboard/webhooks/new"));
    await page.getByLabel("Endpoint URL").fill(shop.hook);
    await page.getByRole("button", { name: "Create webhook" }).click();
    await page.goto(at("/dashboard/webhooks"));
    await page.locator("td").getByRole("link").click();
    const webhook = page.url();
    await page.getByRole("button", { name: "Send test event" }).click();
    for (let tries = 0; (await page.locator("td .tag.good").count()) === 0; tries += 1) {
      assert.ok(tries < 100, "the test event was delivered");
      await page.waitForTimeout(100);
      await page.goto(webhook);
    }

    // Every page that a link leads to, and each with the text in its address.
    const seen = new Set();
    const open = [at("/dashboard")];
    let shown = 0;
    while (open.length > 0) {
      const url = open.pop();
      await page.goto(url);
      const code = await page.locator(CODE).count();
      if (code > 0) found.push(`${url}: ${code} elements of others`);
      if (await page.locator("main").getByText("alert(2)").count()) shown += 1;
      const links = await page.locator("a[href]").evaluateAll((all) => all.map((link) => link.href));
      for (const link of links.map((link) => link.split("#")[0])) {
        const path = new URL(link).pathname;
        if (!link.startsWith(at("/dashboard")) || seen.has(path)) continue;
        seen.add(path);
        open.push(link);
      }
    }
    for (const path of [...seen]) {
      for (const name of ["done", "code", "cursor", "date", "status", "category", "before", "at"]) {
        await page.goto(`${at(path)}?${name}=${encodeURIComponent(EVIL)}`);
        const code = await page.locator(CODE).count();
        if (code > 0) found.push(`${page.url()}: ${code} elements of others`);
      }
    }
    assert.deepEqual(found, []);
    assert.ok(seen.size >= 20, `${seen.size} pages were seen`);
    assert.ok(shown >= 12, `${shown} pages show the text`);
  } finally {
    await browser.close();
    await shop.close();
  }
});
