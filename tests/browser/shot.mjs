import { launch } from "./browser.mjs";
const welcome = JSON.parse(process.env.CONNECT_WELCOME);
const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: process.env.LOCALE ?? "en" });
const page = await context.newPage();
await page.goto(welcome.invitationUrl);
for (const label of ["Password", "Password once more"]) await page.getByLabel(label, { exact: true }).fill("rye and spelt");
await page.getByRole("button", { name: "Set password" }).click();
const at = (path) => new URL(path, welcome.adminUrl).href;
for (let day = 0; day < 40; day += 1) {
  for (const location of welcome.locations) {
  const r = await fetch(new URL(`/sandbox/v1/locations/${location.id}/days?daysAgo=${day}`, welcome.adminUrl), { method: "POST", headers: { authorization: `Bearer ${welcome.token}` } });
  if (!r.ok) console.log(day, r.status, await r.text());
  }
}
const state = await context.storageState();
for (const [name, options] of [["wide", { viewport: { width: 1280, height: 900 } }], ["phone", { viewport: { width: 390, height: 844 } }], ["dark", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }]]) {
  const c = await browser.newContext({ storageState: state, ...options });
  const p = await c.newPage();
  for (const path of process.argv.slice(2)) {
    await p.goto(at(path));
    await p.screenshot({ path: `/tmp/shots/${name}-${path.replace(/\W+/g, "_")}.png`, fullPage: true });
  }
  if (name === "phone") { await p.getByRole("button", { name: "Menu" }).click(); await p.screenshot({ path: "/tmp/shots/phone-menu.png" }); }
  await c.close();
}
await browser.close();
