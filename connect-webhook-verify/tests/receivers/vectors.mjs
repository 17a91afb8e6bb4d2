// Prints the status that a receiver gives for each vector, one in a line.
// Arguments: the module with `verify`, and vectors.json.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { verify } = await import(pathToFileURL(process.argv[2]));
const bytes = (body) =>
  "text" in body
    ? Buffer.from(body.text)
    : "hex" in body
      ? Buffer.from(body.hex, "hex")
      : Buffer.from(body.repeat.repeat(body.times));

for (const c of JSON.parse(readFileSync(process.argv[3])).cases) {
  // Node hands headers over as text in which each character is a byte.
  const header = "header_hex" in c ? Buffer.from(c.header_hex, "hex").toString("latin1") : (c.header ?? undefined);
  console.log(verify(header, bytes(c.body), c.secrets, c.now, c.tolerance));
}
