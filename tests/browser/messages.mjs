// The texts of the dashboard, by the ids of its message files.

import { readFileSync } from "node:fs";
import { FluentBundle, FluentResource } from "@fluent/bundle";

const FILES = new URL("../../connect-server/src/dashboard/messages/", import.meta.url);

/** The texts in a language: a function of an id and its arguments. */
export function messages(language) {
  const bundle = new FluentBundle(language, { useIsolating: false });
  const file = readFileSync(new URL(`${language}.ftl`, FILES), "utf8");
  bundle.addResource(new FluentResource(file), { allowOverrides: true });
  return (id, values = {}) => {
    const pattern = bundle.getMessage(id)?.value;
    if (!pattern) throw new Error(`${language}.ftl has no message ${id}`);
    const problems = [];
    const text = bundle.formatPattern(pattern, values, problems);
    if (problems.length > 0) throw problems[0];
    return text;
  };
}
