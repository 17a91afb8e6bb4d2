// A browser with the dashboard of a server in it.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** The addresses, the token and the locations of the server, as it printed them. */
export const welcome = JSON.parse(process.env.CONNECT_WELCOME);

/** The address of a page. */
export const at = (path) => new URL(path, welcome.adminUrl).href;

/** Starts a demo of its own; returns its process and its welcome. */
export async function startDemo() {
  const words = ["demo", "--json", "--storage", "memory", "--listen", "127.0.0.1:0"];
  const server = spawn(process.env.CONNECT_PROGRAM, [...words, "--admin-listen", "127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { value: line } = await createInterface(server.stdout)[Symbol.asyncIterator]().next();
  return { server, welcome: JSON.parse(line) };
}

/** Starts the browser. */
export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });

/** Fails when a page asks another host for anything, or has an error of its own. */
export function watch(page, adminUrl = welcome.adminUrl) {
  const problems = [];
  const own = [new URL(adminUrl).host];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && !own.includes(url.host)) {
      problems.push(`asks ${url.host}`);
    }
  });
  page.on("pageerror", (error) => problems.push(`error: ${error}`));
  page.on("dialog", (dialog) => {
    problems.push(`a dialog says ${dialog.message()}`);
    dialog.dismiss();
  });
  return problems;
}

/** The rules of WCAG 2.2 that axe-core leaves off by default. */
export const WCAG_22 = { "target-size": { enabled: true } };

/** What axe-core finds wrong with a page. */
export async function violations(page, rules = {}) {
  // In a world of its own: the page's policy has no scripts.
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "axe",
  });
  const run = (expression) =>
    session.send("Runtime.evaluate", {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
  await run(axe);
  const { result, exceptionDetails } = await run(
    `axe.run(document, { rules: ${JSON.stringify(rules)} }).then(({ violations }) => violations.map((v) =>
       v.id + ": " + v.nodes.map((node) => node.html.slice(0, 120)).join(" | ")))`,
  );
  await session.detach();
  if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
  return result.value;
}

/** Whether a page is wider than the window. */
export async function isTooWide(page) {
  const session = await page.context().newCDPSession(page);
  const { cssContentSize, cssVisualViewport } = await session.send("Page.getLayoutMetrics");
  await session.detach();
  return cssContentSize.width > Math.ceil(cssVisualViewport.clientWidth);
}
