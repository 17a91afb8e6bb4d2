// Passkeys by virtual authenticators, on a server of its own.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, startDemo } from "./browser.mjs";

const PASSWORD = "violet tractor 71";
const OWNER = "owner@korenbloem.example";
const KIM = "kim@korenbloem.example";

let server, browser, welcome;

/** An address of the dashboard by the name of this machine: passkeys need one. */
function at(path) {
  const url = new URL(path, welcome.adminUrl);
  url.hostname = "localhost";
  return url.href;
}

/** A browser of its own on a device that keeps passkeys, and asks for a fingerprint. */
async function device() {
  const context = await browser.newContext();
  const page = await context.newPage();
  const tools = await context.newCDPSession(page);
  await tools.send("WebAuthn.enable");
  const { authenticatorId } = await tools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const isFingerRight = (isUserVerified) =>
    tools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
  return { page, isFingerRight, close: () => context.close() };
}

async function setPassword(page, invitation) {
  await page.goto(at(new URL(invitation, welcome.adminUrl).pathname));
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Password once more").fill(PASSWORD);
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByRole("navigation", { name: "Dashboard" }).waitFor();
}

async function addPasskey(page, name) {
  await page.goto(at("/dashboard/account"));
  await page.getByRole("link", { name: "Passkeys" }).click();
  await page.getByLabel("Name of the passkey").fill(name);
  await page.getByRole("textbox", { name: "Current password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByRole("button", { name: "Make the passkey" }).click();
}

async function signInByPassword(page, email, next = "/dashboard/tokens") {
  await page.goto(at(next));
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function signOut(page) {
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("You are signed out").waitFor();
}

before(async () => {
  ({ server, welcome } = await startDemo());
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.kill();
});

test("a passkey signs in alone, and after the password of its user", async () => {
  const own = await device();
  const { page } = own;
  await setPassword(page, welcome.invitationUrl);
  await addPasskey(page, "Laptop");
  await page.getByText("Your passkey was added").waitFor();
  await page.getByRole("cell", { name: "Laptop", exact: true }).waitFor();
  // The same device has one already.
  await addPasskey(page, "Laptop again");
  await page.getByText("has a passkey for you already").waitFor();

  // A finger of somebody else, then the right one.
  await signOut(page);
  await page.goto(at("/dashboard/tokens"));
  await page.getByRole("link", { name: "Sign in with a passkey" }).click();
  await own.isFingerRight(false);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByText("This was cancelled").waitFor();
  await own.isFingerRight(true);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("heading", { name: "Tokens" }).waitFor();

  await signOut(page);
  await signInByPassword(page, OWNER);
  await page.getByText("Your password is right").waitFor();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("heading", { name: "Tokens" }).waitFor();

  // Kim has a passkey as well: after the owner's password, it signs Kim in and not the owner.
  await page.goto(at("/dashboard/users"));
  await page.getByLabel("Name").fill("Kim");
  await page.getByLabel("E-mail address").fill(KIM);
  await page.getByLabel("Role in the whole account").selectOption("manager");
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByText("The user was added").waitFor();
  await page.goto(at("/dashboard/users"));
  await page.getByRole("link", { name: "Kim", exact: true }).click();
  await page.getByRole("button", { name: "Invite" }).click();
  const invitation = await page.locator("#shown-once").inputValue();
  const kims = await device();
  await setPassword(kims.page, invitation);
  await addPasskey(kims.page, "Phone");
  await kims.page.getByText("Your passkey was added").waitFor();
  await signOut(kims.page);
  await signInByPassword(kims.page, OWNER);
  await kims.page.getByRole("button", { name: "Use a passkey" }).click();
  await kims.page.getByRole("heading", { name: "Tokens" }).waitFor();
  await kims.page.goto(at("/dashboard/account"));
  await kims.page.getByText(KIM).waitFor();
  await kims.close();

  // Removed, it signs nobody in, and the password alone does.
  await page.goto(at("/dashboard/account/passkeys"));
  await page.getByText("Remove…").click();
  await page.getByLabel("Current password").first().fill(PASSWORD);
  await page.getByRole("button", { name: "Remove the passkey" }).click();
  await page.getByText("The passkey was removed").waitFor();
  await signOut(page);
  await page.goto(at("/dashboard/sign-in/passkey"));
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByText("is not known here").waitFor();
  await signInByPassword(page, OWNER);
  await page.getByRole("heading", { name: "Tokens" }).waitFor();
  await own.close();
});

test("a page that cannot ask for a passkey says why", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(at("/dashboard/sign-in/passkey"));
  await page.getByText("Passkeys need scripts").waitFor();
  assert.ok(!(await page.getByRole("button").count()));
  await context.close();
  // At the number of this machine it names the address.
  const { page: elsewhere, close } = await device();
  await elsewhere.goto(new URL("/dashboard/sign-in", welcome.adminUrl).href);
  await elsewhere.getByRole("link", { name: "Sign in with a passkey" }).click();
  const { origin } = new URL(at("/"));
  await elsewhere.getByText(`Open this page at ${origin}`).waitFor();
  await close();
});
