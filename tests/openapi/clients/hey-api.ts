// The API as a user of @hey-api/openapi-ts sees it.

import assert from "node:assert/strict";
import * as api from "../generated/hey-api/api/index.js";
import { client } from "../generated/hey-api/api/client.gen.js";
import * as device from "../generated/hey-api/device/index.js";
import { createClient } from "../generated/hey-api/device/client/index.js";
import { baseUrl, deviceUrl, differ, done, key, locationId, onlyPriceChanged, token } from "./shop.js";

client.setConfig({ baseUrl, auth: token });
const screen = (type: string) => createClient({ baseUrl: deviceUrl, auth: key(type) });
const path = { locationId };

const created = await api.createProduct({
  path,
  headers: { "Idempotency-Key": "hey-api-1" },
  body: {
    externalId: "HEY-1",
    name: "Rye loaf",
    description: "Sour,\nand dark",
    priceCents: 425,
    vatRate: 9,
    barcode: "8712345678906",
    categoryName: "Dark bread",
    isActive: false,
    availableFrom: "2026-11-20",
  },
});
assert(created.data, JSON.stringify(created.error));
const loaf = created.data.data;

const changed = await api.updateProduct({
  path: { ...path, id: loaf.id },
  body: { priceCents: 445 },
});
assert(changed.data, JSON.stringify(changed.error));
onlyPriceChanged(loaf, changed.data.data);

const batch = await api.writeProductBatch({
  path,
  body: {
    items: [
      { externalId: "HEY-1", isActive: true },
      { externalId: "HEY-2", name: "Bun" },
      { externalId: "HEY-3" },
    ],
  },
});
assert(batch.data, JSON.stringify(batch.error));
const { results } = batch.data.data;
assert.deepEqual(results.map((result) => result.status), ["updated", "created", "failed"]);
assert.equal(results[2].error?.field, "name");

const refused = await api.createProduct({ path, body: { name: "Bread", priceCents: -1 } });
assert.equal(refused.response?.status, 422);
assert.equal(refused.error?.error.code, "validation_failed");
assert.equal(refused.error?.error.field, "priceCents");

const ids: string[] = [];
let cursor: string | undefined;
for (let page = 0; page < 2; page++) {
  const query = { limit: 1, includeDeleted: true, cursor };
  const list = await api.listProducts({ path, query });
  assert(list.data?.nextCursor, JSON.stringify(list.error));
  cursor = list.data.nextCursor;
  ids.push(...list.data.data.map((product) => product.id));
}
differ(ids);

const line = { name: "Bun", quantity: 2, unitPriceCents: 180, totalCents: 360, vatRate: 9 };
const sold = await device.createTransaction({
  client: screen("pos"),
  body: {
    type: "sale",
    totalCents: 360,
    lines: [line],
    payments: [{ method: "card", amountCents: 360 }],
  },
});
assert(sold.data, JSON.stringify(sold.error));
const sale = await api.getTransaction({ path: { ...path, id: sold.data.data.id } });
assert.equal(sale.data?.data.lines[0].totalCents, 360);

const placed = await device.createOrder({
  client: screen("order_kiosk"),
  body: { fulfilment: "takeaway", lines: [line], customerName: "Noor" },
});
assert(placed.data, JSON.stringify(placed.error));
const order = await api.getOrder({ path: { ...path, id: placed.data.data.id } });
assert.equal(order.data?.data.customerName, "Noor");

done("hey-api", ["create", "change", "batch", "error", "pages", "sale", "order"]);
