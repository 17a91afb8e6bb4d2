// A page in other views: on paper, and with its dialogs open.

/** The width of a sheet between its margins, and by how much a browser shrinks what is wider, to print all of it. */
const SHEET = { width: 718, height: 1000 };
const MOST_SHRUNK = 2;

/** What is wrong with a page on paper: there is only what can be read, and the tables are whole. */
export async function problemsOnPaper(page) {
  const before = page.viewportSize();
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize(SHEET);
  const problems = [];
  const tools = page.locator("header, nav, button, .button, .banner, .toolbar, .filter, .skip, fieldset");
  for (const tool of await tools.filter({ visible: true }).all()) {
    problems.push(`on paper: ${(await tool.evaluate((it) => it.outerHTML)).slice(0, 120)}`);
  }
  for (const table of await page.locator(".scroll").all()) {
    const problem = await table.evaluate((it, most) => {
      if (getComputedStyle(it).overflowX !== "visible") return "is cut off";
      const rows = [...it.querySelectorAll("tr")];
      const isTorn = rows.some((row) => getComputedStyle(row).breakInside !== "avoid");
      if (isTorn) return "has rows that go on on the next sheet";
      return it.querySelector("table").getBoundingClientRect().right > most ? "is wider than a sheet" : "";
    }, SHEET.width * MOST_SHRUNK);
    if (problem) problems.push(`on paper: the table ${await table.getAttribute("aria-label")} ${problem}`);
  }
  await page.setViewportSize(before);
  await page.emulateMedia({ media: "screen" });
  return problems;
}

/** What is wrong with the dialogs of a page: the focus goes in, Escape closes them, and the focus returns. */
export async function problemsOfDialogs(page) {
  const problems = [];
  for (const opener of await page.locator("[aria-haspopup=dialog]").filter({ visible: true }).all()) {
    const name = (await opener.getAttribute("aria-label")) ?? (await opener.innerText());
    const dialog = page.locator(`[id="${await opener.getAttribute("popovertarget")}"]`);
    await opener.focus();
    await page.keyboard.press("Enter");
    if (!(await dialog.isVisible())) problems.push(`${name}: Enter does not open it`);
    if ((await dialog.locator(":focus").count()) !== 1) problems.push(`${name}: the focus is not in it`);
    await page.keyboard.press("Escape");
    if (await dialog.isVisible()) problems.push(`${name}: Escape does not close it`);
    const isBack = await opener.evaluate((it) => it === document.activeElement);
    if (!isBack) problems.push(`${name}: the focus does not return`);
  }
  return problems;
}
