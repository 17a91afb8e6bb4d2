// Signing in with a second factor, and through an OpenID Connect provider, on a server of its own.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import Provider from "oidc-provider";
import { launch, startDemo } from "./browser.mjs";

const PASSWORD = "violet tractor 71";
const OWNER = "owner@korenbloem.example";

let server, browser, context, page, welcome, provider;

const at = (path) => new URL(path, welcome.adminUrl).href;

/** The code of a seed in base32, so many steps of 30 seconds from now. */
function code(seed, steps = 0) {
  const bits = [...seed].map((letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  );
  const bytes = bits.join("").match(/.{8}/g).map((byte) => parseInt(byte, 2));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac("sha1", Buffer.from(bytes)).update(counter).digest();
  const number = digest.readUInt32BE(digest.at(-1) & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** A provider whose users have the address that they type as their name. */
async function startProvider(back) {
  const listening = createServer();
  await new Promise((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${listening.address().port}`;
  const oidc = new Provider(issuer, {
    clients: [
      {
        client_id: "connect",
        client_secret: "secret of the bakery",
        redirect_uris: [back],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: !id.startsWith("unverified") }),
    }),
    pkce: { required: () => true },
  });
  listening.on("request", oidc.callback());
  return { issuer, close: () => listening.close() };
}

before(async () => {
  ({ server, welcome } = await startDemo());
  browser = await launch();
  context = await browser.newContext({ javaScriptEnabled: false });
  page = await context.newPage();
  await page.goto(welcome.invitationUrl);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Password once more").fill(PASSWORD);
  await page.getByRole("button", { name: "Set password" }).click();
});

after(async () => {
  await browser?.close();
  provider?.close();
  server?.kill();
});

/** Signs in with a password in a browser of its own. */
async function signIn(email) {
  const other = await browser.newContext({ javaScriptEnabled: false });
  const visit = await other.newPage();
  await visit.goto(at("/dashboard/tokens"));
  await visit.getByLabel("E-mail address").fill(email);
  await visit.getByLabel("Password").fill(PASSWORD);
  await visit.getByRole("button", { name: "Sign in" }).click();
  return visit;
}

test("a second factor is set up, needed, and replaced by a recovery code", async () => {
  await page.goto(at("/dashboard/account"));
  await page.getByRole("link", { name: "Authenticator app" }).click();
  await page.getByLabel("Current password").fill(PASSWORD);
  await page.getByRole("button", { name: "Set up" }).click();
  assert.ok(await page.getByRole("img", { name: "QR code" }).locator("svg").isVisible());
  await page.getByText("The app cannot read it?").click();
  const seed = await page.locator("details code").innerText();
  await page.getByRole("textbox", { name: "Code" }).fill(code(seed, -1));
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
  const codes = await page.locator(".codes code").allInnerTexts();
  assert.equal(codes.length, 10);

  let visit = await signIn(OWNER);
  await visit.getByRole("textbox", { name: "Code" }).fill("000000");
  await visit.getByRole("button", { name: "Sign in" }).click();
  await visit.getByText("Code is wrong").waitFor();
  await visit.getByRole("textbox", { name: "Code" }).fill(code(seed));
  await visit.getByRole("button", { name: "Sign in" }).click();
  await visit.getByRole("heading", { name: "Tokens" }).waitFor();
  await visit.context().close();

  visit = await signIn(OWNER);
  await visit.getByRole("textbox", { name: "Code" }).fill(codes[4]);
  await visit.getByRole("button", { name: "Sign in" }).click();
  await visit.getByRole("heading", { name: "Tokens" }).waitFor();
  await visit.context().close();
});

/** Comes in through the provider as the person with this name there, in a browser of its own. */
async function comeIn(way, name) {
  const other = await browser.newContext({ javaScriptEnabled: false });
  const visit = await other.newPage();
  await visit.goto(way);
  await visit.getByRole("button", { name: "Continue" }).click();
  await visit.locator("[name=login]").fill(name);
  await visit.locator("[name=password]").fill("any");
  await visit.locator("[type=submit]").click();
  await visit.locator("[type=submit]").click();
  return visit;
}

test("users sign in through a provider", async () => {
  await page.goto(at("/dashboard/users"));
  await page.getByLabel("Name").fill("Kim");
  await page.getByLabel("E-mail address").fill("kim@korenbloem.example");
  await page.getByLabel("Role in the whole account").selectOption("manager");
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByText("The user was added").waitFor();
  await page.goto(at("/dashboard/account"));
  await page.getByRole("link", { name: "Set up single sign-on" }).click();
  provider = await startProvider(await page.locator("li code").innerText());
  await page.getByLabel("Issuer").fill(provider.issuer);
  await page.getByLabel("Client id").fill("connect");
  await page.getByLabel("Client secret").fill("secret of the bakery");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The provider was saved").waitFor();
  const way = await page.locator("h2 + p + p code").innerText();

  const visit = await comeIn(way, "kim@korenbloem.example");
  await visit.getByRole("navigation", { name: "Dashboard" }).waitFor();
  await visit.goto(at("/dashboard/account"));
  await visit.getByText("kim@korenbloem.example").waitFor();
  await visit.context().close();

  for (const [name, problem] of [
    ["nobody@korenbloem.example", "is no user of this account"],
    ["unverified@korenbloem.example", "no e-mail address that the provider has verified"],
  ]) {
    const stranger = await comeIn(way, name);
    await stranger.getByText(problem).waitFor();
    await stranger.goto(at("/dashboard/account"));
    assert.equal(new URL(stranger.url()).pathname, "/dashboard/sign-in");
    await stranger.context().close();
  }

  // The answer of the provider is of no use in another browser.
  const thief = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  const account = way.split("/").at(-1);
  await thief.goto(at(`/dashboard/sign-in/callback/${account}?code=1&state=2`));
  await thief.getByText("begun in another browser").waitFor();
  // Nor at the address of another account, in the browser of the sign-in.
  await thief.goto(way);
  await thief.getByRole("button", { name: "Continue" }).click();
  await thief.locator("[name=login]").waitFor();
  await thief.goto(at("/dashboard/sign-in/callback/00000000-0000-7000-8000-000000000000?code=1"));
  await thief.getByText("begun in another browser").waitFor();
  await thief.context().close();

  // A provider with another secret, and one that is down.
  await page.getByLabel("Client secret").fill("another secret");
  await page.getByRole("button", { name: "Save" }).click();
  const refused = await comeIn(way, "kim@korenbloem.example");
  await refused.getByText("Your provider has refused: invalid_client").waitFor();
  await refused.context().close();
  provider.close();
  const down = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await down.goto(way);
  await down.getByRole("button", { name: "Continue" }).click();
  await down.getByText("it takes no connection").waitFor();
  await down.context().close();
});
