// Fifteen tasks of a shop's owner. Each is written once: `you` works by mouse or by keyboard (driver.mjs), `words`
// are the texts in the reader's language by their ids, `shop` is the demo (owned.mjs), `picture` keeps a picture.

import assert from "node:assert/strict";
import { EMAIL, PASSWORD, until } from "./owned.mjs";

/** The tasks, by their names. Each begins on the first page; the first one on the page to sign in. */
export const TASKS = {
  async "sign in, see today beside last week, and open the month"({ you, words, picture }) {
    await you.type(you.field(words("word-email")), EMAIL);
    await you.type(you.field(words("word-password")), PASSWORD);
    await you.go(you.button(words("word-sign-in")));
    await you.sees(words("so-far-day"));
    await you.page.locator(".chart rect.before").first().waitFor();
    await picture("dashboard-day");
    await you.choose(you.field(words("period")), words("period-month"));
    await you.go(you.button(words("word-show")));
    await you.sees(words("so-far-month"));
  },

  async "find a product by a word, and change its price in its row"({ you, words, picture }) {
    await you.open("products");
    await findProducts(you, "walnut");
    await you.go(you.link(words("products-edit-of", { product: "Walnut loaf" })));
    const price = you.field(words("word-price"), you.main.getByRole("table"));
    await you.type(price, `5${words("number-decimal")}35`);
    await picture("dashboard-product");
    await you.go(you.button(words("word-save")));
    await you.sees(words("notice-product-saved"));
    await you.sees(/5[.,]35/, you.row("Walnut loaf"));
  },

  async "raise the prices of chosen products by 5 %, look first, and undo it"({ you, words, picture }) {
    await you.open("products");
    await findProducts(you, "roll");
    const rolls = ["White roll", "Poppy seed roll", "Cheese roll"];
    const before = await you.row("Cheese roll").innerText();
    for (const product of rolls) {
      await you.tick(you.field(words("products-choose-one", { product })));
    }
    await you.choose(you.field(words("prices-how")), words("prices-percent-up"));
    await you.type(you.field(words("prices-by")), "5");
    await you.choose(you.field(words("prices-rounding")), words("prices-round-1"));
    await you.go(you.button(words("products-preview")));
    await you.sees(/1[.,]52/, you.row("Cheese roll"));
    await picture("dashboard-prices");
    await you.go(you.button(words("prices-change", { changed: 3 })));
    await you.sees(words("notice-products-changed"));
    await you.sees(/1[.,]52/, you.row("Cheese roll"));
    await you.go(you.button(words("products-undo")));
    await you.sees(words("notice-bulk-undone"));
    assert.equal(await you.row("Cheese roll").innerText(), before);
  },

  async "import products from a CSV file, after a dry run"({ you, words, picture }) {
    const lines = ["code;name;category;price;vat", "BR-01;Country loaf;Bread;4,35;9"];
    lines.push("ST-01;Stollen;Christmas;12,50;9", "ST-02;Mince pie;Christmas;2,75;9");
    await you.open("products");
    await you.go(you.link(words("import-link")));
    const file = { name: "menu.csv", mimeType: "text/csv", buffer: Buffer.from(lines.join("\r\n")) };
    await you.upload(you.field(words("import-file")), file);
    await you.go(you.button(words("import-upload")));
    await you.tick(you.field(words("import-create-categories")));
    await you.go(you.button(words("import-check")));
    await you.sees(words("import-report"));
    const figures = () => you.main.locator(".figures dd").allInnerTexts();
    assert.deepEqual(await figures(), ["3", "2", "1", "0", "0"]);
    await picture("dashboard-import");
    await you.go(you.button(words("import-apply")));
    await you.sees(words("import-done"));
    assert.deepEqual(await figures(), ["3", "2", "1", "0", "0"]);
    await you.go(you.link(words("import-back")));
    await findProducts(you, "mince");
    await you.sees("ST-02", you.row("Mince pie"));
  },

  async "count stock on the count sheet"({ you, words }) {
    await you.open("stock");
    await you.go(you.link(words("stock-sheet")));
    for (const [code, name, count] of [["CA-04", "Chocolate tart", "6"], ["SH-03", "Strawberry jam", "31"]]) {
      await you.type(you.field(words("stock-code")), code);
      await you.go(you.button(words("word-find")));
      await you.type(you.field(words("shop-counted")), count);
      await you.go(you.button(words("word-save")));
      await you.sees(words("notice-stock-counted"));
      await you.sees(`${name}: ${count}`);
    }
  },

  async "enter a delivery, and see the movement"({ you, words }) {
    await openStock(you, "baguette", "Baguette");
    await you.choose(you.field(words("stock-kind")), words("stock-kind-delivery"));
    await you.type(you.field(words("word-quantity")), "24");
    await you.type(you.field(words("word-note")), "Delivery note 1174");
    await you.go(you.button(words("word-save"), you.formOf(you.field(words("stock-kind")))));
    await you.sees(words("notice-stock-entered"));
    const movement = you.row("Delivery note 1174");
    await you.sees(words("stock-delivered"), movement);
    await you.sees("Sanne de Wit", movement);
  },

  async "set a minimum, and see what is low"({ you, words, picture }) {
    await openStock(you, "mug", "Enamel mug");
    await you.type(you.field(words("word-quantity")), "2");
    await you.go(you.button(words("word-save"), you.formOf(you.field(words("stock-kind")))));
    await you.sees(words("notice-stock-entered"));
    const minimum = you.field(words("stock-minimum"));
    await you.type(minimum, "5");
    await you.go(you.button(words("word-save"), you.formOf(minimum)));
    await you.sees(words("notice-stock-minimum-set"));
    await you.open("stock");
    const level = you.field(words("stock-level"));
    await you.choose(level, words("stock-under-minimum"));
    await you.go(you.button(words("word-show"), you.formOf(level)));
    await you.sees(words("stock-low"), you.row("Enamel mug"));
    assert.equal(await you.main.getByRole("row").count(), 1 + 1, "the head and the only low product");
    await picture("dashboard-low");
    await you.open("dashboard");
    await you.sees(words("stock-low-count", { count: 1 }));
  },

  async "find a receipt by its number"({ you, words, shop }) {
    const path = `/locations/${shop.welcome.locations[0].id}/transactions?limit=200`;
    const { body } = await shop.api("GET", path);
    const { receiptNumber: number } = body.data.findLast((receipt) => receipt.type === "sale");
    await you.search(`${number}`);
    await you.go(you.link(words("search-receipt", { number: `${number}` })));
    const title = words("journal-receipt-title", { kind: words("journal-sale"), number: `${number}` });
    await you.main.getByRole("heading", { name: title }).waitFor();
  },

  async "save the products of a category as a CSV file"({ you, words }) {
    await you.open("products");
    const category = you.field(words("word-category"), you.formOf(you.field(words("products-search"))));
    await you.choose(category, "Bread");
    await you.go(you.button(words("word-find"), you.formOf(category)));
    const { name, text } = await you.save(you.link(words("table-save")));
    assert.equal(name, "products.csv");
    const [head, ...lines] = text.replace("\uFEFF", "").trim().split(/\r?\n/);
    const separator = words("file-separator");
    const columns = ["word-name", "word-code", "word-barcode", "word-category", "word-price"];
    assert.ok(head.startsWith(columns.map((column) => words(column)).join(separator)), head);
    const baguette = ["Baguette", "BR-05", "", "Bread", `2${words("number-decimal")}60`];
    assert.ok(lines.some((line) => line.startsWith(baguette.join(separator))), text);
    assert.equal(lines.length, 6, "no product of another category");
  },

  async "make a token for bookkeeping, copy it, and revoke it"({ you, words, shop, picture }) {
    const name = "Ledger & Co";
    await you.open("tokens");
    await you.go(you.link(words("tokens-create")));
    await you.go(you.link(words("tokens-preset-bookkeeping")));
    await you.type(you.field(words("word-name")), name);
    await picture("dashboard-token");
    await you.go(you.button(words("tokens-create")));
    const shown = you.field(words("field-token"));
    const token = await shown.inputValue();
    await you.copy(shown);
    const asked = async () => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${shop.welcome.baseUrl}/locations`, { headers })).status;
    };
    assert.equal(await asked(), 200);

    await you.open("requests");
    const text = you.field(words("requests-text"));
    await you.paste(text);
    assert.equal(await text.inputValue(), token, "the copy is whole");

    await you.open("tokens");
    await you.press(you.button(words("tokens-revoke-open-of", { name })));
    await you.go(you.button(words("tokens-revoke", { name }), you.dialog));
    await you.sees(words("notice-token-revoked"));
    assert.equal(await asked(), 401);
  },

  async "find a refused request of the API by its ID"({ you, words, shop }) {
    const { status, id } = await shop.api("POST", shop.products, { name: "Rye", priceCents: -1 });
    assert.equal(status, 422);
    await you.open("requests");
    await you.type(you.field(words("requests-text")), id);
    await you.go(you.button(words("word-find")));
    const request = you.row(id);
    await you.sees("422", request);
    await you.sees(`POST /v1${shop.products}`, request);
    await you.sees(/^priceCents must/, request);
  },

  async "make a webhook, test it with an event, and look at the delivery"({ you, words, shop, picture }) {
    const url = shop.receiver.url("kitchen-display");
    await you.open("webhooks");
    await you.go(you.link(words("webhooks-create")));
    await you.type(you.field(words("webhooks-url")), url);
    await you.tick(you.field("stock.batch_changed"), false);
    await you.go(you.button(words("webhooks-create")));
    await you.go(you.link(words("webhooks-go-to")));
    await you.choose(you.field(words("webhooks-test-type")), "order.created");
    await you.go(you.button(words("webhooks-test")));
    const received = ({ path, event }) => path === "/kitchen-display" && event.type === "order.created";
    await until(() => shop.receiver.received.some(received), "the test event");
    const delivery = you.link("order.created");
    await until(async () => {
      await you.page.reload();
      return (await you.row("order.created").locator(".tag.good").count()) > 0;
    }, "the line of the delivery");
    await picture("dashboard-webhook-dark", { colorScheme: "dark" });
    await you.go(delivery);
    await you.sees(words("webhooks-delivery-of", { event: "order.created" }));
    await you.sees("thanks");
    await you.sees('"order.created"');
  },

  async "send failed deliveries of a period again"({ you, words, shop }) {
    await you.open("webhooks");
    await you.go(you.link(shop.broken));
    await you.go(you.link(words("webhooks-resend-period")));
    await you.go(you.button(words("webhooks-count")));
    await you.sees(words("webhooks-resendable", { count: 1 }));
    await you.go(you.button(words("webhooks-resend-now", { count: 1 })));
    await you.sees(words("webhooks-resent", { count: 1 }));
    // The webhook is probed after its failures: the next attempt is due within a minute.
    await shop.sandbox("/clock", { advanceBySeconds: 60 });
    const received = ({ path }) => path === "/till-software";
    await until(() => shop.receiver.received.some(received), "the delivery sent again");
  },

  async "invite the accountant, and see it in the activity"({ you, words, picture }) {
    await you.open("users");
    await you.type(you.field(words("word-name")), "Ravi Jansen");
    await you.type(you.field(words("word-email")), "ravi@korenbloem.example");
    await you.choose(you.field(words("users-role-in-account")), words("users-accountant-explained"));
    await you.go(you.button(words("users-add")));
    await you.sees(words("notice-user-made"));
    await you.go(you.button(words("users-invite")));
    await you.sees(words("users-invitation-made"));
    assert.match(await you.field(words("users-link")).inputValue(), /^http.+invitations\/./);
    await you.open("activity");
    await you.sees("Sanne de Wit", you.row("Ravi Jansen"));
    await picture("dashboard-activity");
  },

  async "read in another language, and keep data for less time"({ you, words, other, picture }) {
    await you.open("account");
    for (const [from, to] of [[words, other], [other, words]]) {
      const language = you.field(from("field-language"));
      await you.choose(language, to("language"));
      await you.go(you.button(from("word-save"), you.formOf(language)));
      await you.sees(to("notice-account-changed"));
    }
    await you.open("privacy");
    await you.type(you.field(words("privacy-event-days")), "14");
    const retention = you.formOf(you.field(words("privacy-event-days")));
    await you.go(you.button(words("word-save"), retention));
    await you.sees(words("notice-account-changed"));
    assert.equal(await you.field(words("privacy-event-days")).inputValue(), "14");
    await picture("dashboard-privacy");
    await you.go(you.link(words("privacy-export")));
    const { text } = await you.save(you.button(words("privacy-download")));
    assert.match(text, /Sanne de Wit/);
  },
};

/** Finds products by a word on their page. */
async function findProducts(you, word) {
  const { words } = you;
  const search = you.field(words("products-search"));
  await you.type(search, word);
  await you.go(you.button(words("word-find"), you.formOf(search)));
}

/** Opens the stock of a product that nobody counted yet. */
async function openStock(you, word, product) {
  await you.open("products");
  await findProducts(you, word);
  await you.go(you.link(you.words("stock-untracked-of", { product })));
}
