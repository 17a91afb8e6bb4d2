// A server with a shop in which every text is the same, wherever somebody may write one.

import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const program = process.env.CONNECT_PROGRAM;

/** Runs a command on the data of the server; what it prints. */
async function command(data, ...words) {
  const { stdout } = await promisify(execFile)(program, [...words, "--json", "--data", data]);
  return JSON.parse(stdout);
}

/** Sends JSON; the record that comes of it. */
async function send(method, url, key, body, more = {}) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...more };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()).data;
}

/** An endpoint that answers every webhook with this text. */
async function endpoint(text) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/html", "x-note": text });
    response.end(text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** Starts the server and fills it. `short` is for where there is little room. */
export async function filled(text, short, email) {
  const data = mkdtempSync(join(tmpdir(), "connect-texts-"));
  const server = spawn(
    program,
    ["serve", "--json", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data", data,
      "--allow-networks", "127.0.0.0/8", "--delivery-interval", "1", "--token-limit", "1000000"],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const receiver = await endpoint(text);
  const close = async () => {
    receiver.close();
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill();
    await ended;
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const { value: line } = await createInterface(server.stdout)[Symbol.asyncIterator]().next();
    const { baseUrl, adminUrl } = JSON.parse(line);
    const account = (await command(data, "account", "create", "--name", text, "--email", email)).id;
    const of = ["--account", account, "--name", text];
    const location = (await command(data, "location", "create", ...of)).id;
    const screen = async (type) =>
      (await command(data, "screen", "create", "--location", location, "--type", type, "--name", text))[0];
    const [till, kiosk] = [await screen("pos"), await screen("order_kiosk")];
    const token = (await command(data, "token", "create", "--all-scopes", ...of)).token;
    const invitation = (await command(data, "account", "invite", account)).link;

    const api = `${baseUrl}/locations/${location}`;
    const key = { "idempotency-key": text.replaceAll(" ", "/") };
    const group = await send("POST", `${api}/option-groups`, token, {
      name: text,
      options: [{ name: text }],
    });
    const product = await send("POST", `${api}/products`, token, {
      name: text,
      description: text,
      categoryName: text,
      barcode: text.slice(0, 64),
      priceCents: 250,
      optionGroupIds: [group.id],
    });
    await send("PUT", `${api}/stock/${product.id}`, token, { quantity: 5, note: text }, key);
    // A path that nobody has is among the last requests of the token.
    await send("POST", `${api}/${encodeURIComponent(text)}`, token, {}).catch(() => {});
    const line1 = {
      productId: product.id,
      name: text,
      quantity: 1,
      unitPriceCents: 250,
      totalCents: 250,
      vatRate: 9,
    };
    const device = `${adminUrl}/device/v1`;
    await send("POST", `${device}/transactions`, till.key, {
      type: "sale",
      totalCents: 250,
      lines: [line1],
      employee: text,
      note: text,
      payments: [{ method: "cash", amountCents: 250 }],
    });
    await send("POST", `${device}/z-reports`, till.key, { countedCents: 250 });
    await send("POST", `${device}/orders`, kiosk.key, {
      fulfilment: "dine_in",
      lines: [line1],
      tableLabel: short,
      customerName: text,
      note: text,
    });
    return { adminUrl, invitation, hook: receiver.url + encodeURIComponent(text), close };
  } catch (error) {
    await close();
    throw error;
  }
}
