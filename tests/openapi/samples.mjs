// Writes the samples of a document into files: `listProducts.py`, `.ts` and `.sh`.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [document, types, folder] = process.argv.slice(2);
const ENDS = { Shell: "sh", TypeScript: "ts", Python: "py" };

mkdirSync(folder, { recursive: true });
copyFileSync(types, join(folder, "connect.d.ts"));

const { paths } = JSON.parse(readFileSync(document, "utf8"));
// In the order of the document, so that what is made first is there for those that follow.
let number = 0;
for (const [path, item] of Object.entries(paths)) {
  for (const { operationId, "x-codeSamples": samples = [] } of Object.values(item)) {
    number += 1;
    // The ids of examples are of no record, so nobody runs samples with one.
    const runs = path.replace("{locationId}", "").includes("{") ? "" : `run-${String(number).padStart(3, "0")}-`;
    for (const { lang, source } of samples) {
      if (ENDS[lang]) writeFileSync(join(folder, `${runs}${operationId}.${ENDS[lang]}`), source);
    }
  }
}
