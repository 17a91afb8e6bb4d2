// The API as a user of openapi-typescript and openapi-fetch sees it.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths as DevicePaths } from "../generated/openapi-typescript/device.js";
import type { paths } from "../generated/openapi-typescript/api.js";
import { baseUrl, deviceUrl, differ, done, key, locationId, onlyPriceChanged, token } from "./shop.js";

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const api = createClient<paths>({ baseUrl, headers: bearer(token) });
const device = (type: string) =>
  createClient<DevicePaths>({ baseUrl: deviceUrl, headers: bearer(key(type)) });

const products = "/locations/{locationId}/products";
const path = { locationId };

const created = await api.POST(products, {
  params: { path, header: { "Idempotency-Key": "openapi-fetch-1" } },
  body: {
    externalId: "FETCH-1",
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

const one = { ...path, id: loaf.id };
const changed = await api.PATCH(`${products}/{id}`, {
  params: { path: one },
  body: { priceCents: 445 },
});
assert(changed.data, JSON.stringify(changed.error));
onlyPriceChanged(loaf, changed.data.data);

const batch = await api.POST(`${products}/batch`, {
  params: { path },
  body: {
    items: [
      { externalId: "FETCH-1", isActive: true },
      { externalId: "FETCH-2", name: "Bun" },
      { externalId: "FETCH-3" },
    ],
  },
});
assert(batch.data, JSON.stringify(batch.error));
const { results } = batch.data.data;
assert.deepEqual(results.map((result) => result.status), ["updated", "created", "failed"]);
assert.equal(results[2].error?.field, "name");

const refused = await api.POST(products, {
  params: { path },
  body: { name: "Bread", priceCents: -1 },
});
assert.equal(refused.response.status, 422);
assert.equal(refused.error?.error.code, "validation_failed");
assert.equal(refused.error?.error.field, "priceCents");

const ids: string[] = [];
let cursor: string | undefined;
for (let page = 0; page < 2; page++) {
  const list = await api.GET(products, {
    params: { path, query: { limit: 1, includeDeleted: true, cursor } },
  });
  assert(list.data?.nextCursor, JSON.stringify(list.error));
  cursor = list.data.nextCursor;
  ids.push(...list.data.data.map((product) => product.id));
}
differ(ids);

const line = { name: "Bun", quantity: 2, unitPriceCents: 180, totalCents: 360, vatRate: 9 };
const sold = await device("pos").POST("/transactions", {
  body: {
    type: "sale",
    totalCents: 360,
    lines: [line],
    payments: [{ method: "card", amountCents: 360 }],
  },
});
assert(sold.data, JSON.stringify(sold.error));
const sale = await api.GET("/locations/{locationId}/transactions/{id}", {
  params: { path: { ...path, id: sold.data.data.id } },
});
assert.equal(sale.data?.data.lines[0].totalCents, 360);

const placed = await device("order_kiosk").POST("/orders", {
  body: { fulfilment: "takeaway", lines: [line], customerName: "Noor" },
});
assert(placed.data, JSON.stringify(placed.error));
const order = await api.GET("/locations/{locationId}/orders/{id}", {
  params: { path: { ...path, id: placed.data.data.id } },
});
assert.equal(order.data?.data.customerName, "Noor");

done("openapi-fetch", ["create", "change", "batch", "error", "pages", "sale", "order"]);
