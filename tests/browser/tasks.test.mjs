// Tasks of a shop's owner from sign-in to result: by mouse and by keyboard alone, at two widths, in two languages.
//
// Each combination of these has a demo of its own, and does all tasks of tasks.mjs in order. Half of the combinations
// cover each way, width and language, and each pair of them; CONNECT_ALL_TASKS=1 does all eight. Pictures are in
// screenshots/tasks. Those of the README and the guides are made anew with UPDATE_PICTURES=1, and else left alone.

import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { isTooWide, launch, watch } from "./browser.mjs";
import { DRIVERS } from "./driver.mjs";
import { messages } from "./messages.mjs";
import { startOwned } from "./owned.mjs";
import { TASKS } from "./tasks.mjs";

const HALF = [
  ["mouse", 1280, "en"],
  ["keyboard", 1280, "nl"],
  ["mouse", 390, "nl"],
  ["keyboard", 390, "en"],
];
const OTHER_HALF = HALF.map(([way, width, language]) => [way, width, language === "en" ? "nl" : "en"]);
const COMBINATIONS = process.env.CONNECT_ALL_TASKS ? [...HALF, ...OTHER_HALF] : HALF;

/** The pictures of the README and the guides, made by the first combination. */
const PICTURES = new URL("../../connect-server/pictures/", import.meta.url).pathname;

describe("tasks of an owner", { concurrency: 4 }, () => {
  for (const [way, width, language] of COMBINATIONS) {
    const name = `${way}-${width}-${language}`;
    describe(name, { concurrency: 1 }, () => tasksOf(name, way, width, language));
  }
});

function tasksOf(name, way, width, language) {
  const [words, other] = [language, language === "en" ? "nl" : "en"].map(messages);
  // Scripts are off: the pages have to work without.
  const asOf = { javaScriptEnabled: false, locale: language, viewport: { width, height: 900 } };
  let browser, context, shop;

  before(async () => {
    mkdirSync(`screenshots/tasks/${name}`, { recursive: true });
    // Of its own, as a browser has one clipboard.
    browser = await launch();
    context = await browser.newContext(asOf);
    context.setDefaultTimeout(20_000);
    shop = await startOwned(context, language, words);
  });

  after(async () => {
    await browser?.close();
    await shop?.close();
  });

  for (const [place, [task, work]] of Object.entries(TASKS).entries()) {
    const number = `${place + 1}`.padStart(2, "0");
    test(`${number} ${task}`, { timeout: 120_000 }, async () => {
      const isSigningIn = place === 0;
      const own = isSigningIn ? await browser.newContext(asOf) : context;
      const page = await own.newPage();
      page.setDefaultTimeout(20_000);
      const problems = watch(page, shop.welcome.adminUrl);
      const you = new DRIVERS[way](page, words);

      const picture = async (of, media = {}) => {
        if (await isTooWide(page)) problems.push(`${of}: wider than the window`);
        const path = `screenshots/tasks/${name}/${number}-${of}.png`;
        await page.emulateMedia(media);
        await page.screenshot({ path, fullPage: true });
        const committed = `${PICTURES}${of}.png`;
        if (process.env.UPDATE_PICTURES && name === HALF[0].join("-") && existsSync(committed)) {
          await page.screenshot({ path: committed, fullPage: true });
        }
        await page.emulateMedia({ colorScheme: "light" });
      };

      await page.goto(shop.at("/dashboard"));
      try {
        await work({ you, words, other, shop, picture });
      } finally {
        await picture("end");
      }
      assert.deepEqual(problems, []);
      await (isSigningIn ? own : page).close();
    });
  }
}
