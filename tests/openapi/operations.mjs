// Compares the operations of a document with those of the clients that were generated from it.

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const [document, generated, name] = process.argv.slice(2);
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

const { paths } = JSON.parse(readFileSync(document, "utf8"));
const operations = Object.values(paths).flatMap((path) =>
  METHODS.flatMap((method) => path[method]?.operationId ?? []),
);

const text = (...path) => readFileSync(join(generated, ...path), "utf8");
const matches = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1]);

/** `list_products.py` is `listProducts`. */
const camelCase = (file) =>
  basename(file, ".py").replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

const python = join(generated, "python", name, "api");
const modules = readdirSync(python, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith(".py") && !file.endsWith("__init__.py"));

const clients = {
  // Behind the paths of its file stand the operations, among others those of webhooks.
  "openapi-typescript": matches(
    text("openapi-typescript", `${name}.d.ts`).split("export interface operations")[0],
    /: operations\["(\w+)"\];/g,
  ),
  "hey-api": matches(text("hey-api", name, "sdk.gen.ts"), /^export const (\w+) = </gm),
  python: modules.map(camelCase),
};

let lost = 0;
for (const [client, found] of Object.entries(clients)) {
  const missing = operations.filter((operation) => !found.includes(operation));
  lost += missing.length;
  const how = missing.length ? `lost ${missing.join(", ")}` : "none lost";
  console.log(`${client}: ${operations.length} operations of ${name}.json, ${how}`);
}
process.exit(lost || !operations.length ? 1 : 0);
