// An owner at work with a page: by mouse, or by keyboard alone. Both have the same methods, so a task is written once.

import assert from "node:assert/strict";

/** The most presses of Tab on the way to an element. */
const MOST_TABS = 200;

/** Narrower pages have their navigation behind a button, and the search on a page of its own. */
const NARROW = 640;

/** What both ways have in common: where things are, and what is seen. */
class Driver {
  constructor(page, words) {
    this.page = page;
    this.words = words;
    this.isNarrow = page.viewportSize().width < NARROW;
  }

  get main() {
    return this.page.getByRole("main");
  }

  get top() {
    return this.page.getByRole("banner");
  }

  get dialog() {
    return this.page.getByRole("dialog");
  }

  link(name, within = this.main) {
    return within.getByRole("link", { name, exact: true }).first();
  }

  button(name, within = this.main) {
    return within.getByRole("button", { name, exact: true }).first();
  }

  field(name, within = this.main) {
    return within.getByLabel(name, { exact: true });
  }

  row(name) {
    return this.main.getByRole("row").filter({ hasText: name }).first();
  }

  /** The form with a field: several of a page may have a button of the same name. */
  formOf(field) {
    return field.locator("xpath=ancestor::form");
  }

  /** Waits until a text is to be seen. */
  async sees(text, within = this.main) {
    await within.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** Presses what leads to another page, and waits for it. */
  async go(target) {
    await Promise.all([this.page.waitForEvent("load"), this.press(target)]);
  }

  /** Presses what leads to a file; its name and its text. */
  async save(target) {
    const [download] = await Promise.all([this.page.waitForEvent("download"), this.press(target)]);
    let text = "";
    for await (const piece of await download.createReadStream()) text += piece;
    return { name: download.suggestedFilename(), text };
  }

  /** Opens a part of the dashboard by the navigation. */
  async open(section) {
    const { words } = this;
    if (this.isNarrow) await this.press(this.button(words("frame-menu"), this.top));
    const navigation = this.page.getByRole("navigation", { name: words("frame-navigation") });
    await this.go(this.link(words(`section-${section}`), navigation));
  }

  /** Searches for a text from any page. */
  async search(text) {
    const { words } = this;
    if (this.isNarrow) await this.go(this.button(words("word-find"), this.top));
    const place = this.isNarrow ? this.main : this.top;
    await this.type(place.getByRole("searchbox", { name: words("search-title") }), text);
    await this.go(this.button(words("word-find"), place));
  }
}

class Mouse extends Driver {
  async press(target) {
    await target.click();
  }

  async type(target, text) {
    await target.click();
    await target.fill(text);
  }

  async choose(target, label) {
    await target.selectOption({ label });
  }

  async tick(target, isOn = true) {
    if ((await target.isChecked()) !== isOn) await target.click();
  }

  async upload(target, file) {
    const [chooser] = await Promise.all([this.page.waitForEvent("filechooser"), target.click()]);
    await chooser.setFiles(file);
  }

  async copy(target) {
    await target.click({ clickCount: 3 });
    await this.page.keyboard.press("Control+C");
  }

  async paste(target) {
    await target.click();
    await this.page.keyboard.press("Control+V");
  }
}

class Keyboard extends Driver {
  /** Moves the focus to an element by Tab, or back by Shift and Tab, and sees it there. */
  async reach(target) {
    await target.waitFor();
    const element = await target.elementHandle();
    const isBehind = await element.evaluate((it) => {
      const from = document.activeElement;
      return Boolean(from.compareDocumentPosition(it) & Node.DOCUMENT_POSITION_PRECEDING);
    });
    const key = isBehind ? "Shift+Tab" : "Tab";
    const isThere = () => element.evaluate((it) => it === document.activeElement);
    for (let presses = 0; !(await isThere()); presses += 1) {
      assert.ok(presses < MOST_TABS, `${MOST_TABS} presses of ${key} do not reach ${target}`);
      await this.page.keyboard.press(key);
    }
    const problem = await element.evaluate(problemOfFocus);
    assert.ok(!problem, `${target} with the focus ${problem}`);
  }

  async press(target) {
    await this.reach(target);
    await this.page.keyboard.press("Enter");
  }

  async type(target, text) {
    await this.reach(target);
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.type(text);
  }

  async choose(target, label) {
    await this.reach(target);
    const options = await target.locator("option").allTextContents();
    const place = options.findIndex((option) => option.trim() === label);
    assert.ok(place >= 0, `${target} has no option ${label}`);
    await this.page.keyboard.press("Home");
    for (let presses = 0; presses < place; presses += 1) await this.page.keyboard.press("ArrowDown");
    const chosen = await target.evaluate((it) => it.selectedOptions[0].textContent.trim());
    assert.equal(chosen, label);
  }

  async tick(target, isOn = true) {
    if ((await target.isChecked()) === isOn) return;
    await this.reach(target);
    await this.page.keyboard.press("Space");
    assert.equal(await target.isChecked(), isOn);
  }

  async upload(target, file) {
    await this.reach(target);
    const chosen = this.page.waitForEvent("filechooser");
    const [chooser] = await Promise.all([chosen, this.page.keyboard.press("Space")]);
    await chooser.setFiles(file);
  }

  async copy(target) {
    // Tab chooses all of a field's text.
    await this.reach(target);
    await this.page.keyboard.press("Control+C");
  }

  async paste(target) {
    await this.reach(target);
    await this.page.keyboard.press("Control+V");
  }
}

/** What keeps a reader from seeing that this element has the focus; "" if nothing does. Runs in the page. */
function problemOfFocus(element) {
  const style = getComputedStyle(element);
  const hasRing = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  if (!element.matches(":focus-visible") || !hasRing) return "has no outline";
  const isOwn = (found) => found === element || element.contains(found) || found?.contains(element);
  for (const { left, top, width, height } of element.getClientRects()) {
    for (const [x, y] of [[0.5, 0.5], [0.1, 0.2], [0.9, 0.8]]) {
      const found = document.elementFromPoint(left + width * x, top + height * y);
      if (isOwn(found) && found !== document.body && found !== document.documentElement) return "";
    }
  }
  const { x, y } = element.getBoundingClientRect();
  return `is out of view or covered, at ${Math.round(x)}, ${Math.round(y)}`;
}

/** The two ways, by name. */
export const DRIVERS = { mouse: Mouse, keyboard: Keyboard };
