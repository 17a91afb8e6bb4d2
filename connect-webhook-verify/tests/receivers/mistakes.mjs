// Makes the mistakes that users make, and prints what they are told about each.
// Arguments: the modules with `verify` and `explain`.
import { createHmac } from "node:crypto";
import { pathToFileURL } from "node:url";

const { verify } = await import(pathToFileURL(process.argv[2]));
const { explain } = await import(pathToFileURL(process.argv[3]));

const secret = "whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cw";
const body = Buffer.from('{"id":"evt_1","data":{"price":1.0}}');
const now = Math.floor(Date.now() / 1000);
const v1 = createHmac("sha256", secret).update(`${now}.`).update(body).digest("hex");
const signed = `t=${now},v1=${v1}`;

function told(mistake, { header = signed, given = body, secrets = [secret], at = now }) {
  let said;
  try {
    said = verify(header, given, secrets, at) === 200 ? "taken" : explain(header, given, secrets, at);
  } catch (error) {
    said = error.message;
  }
  console.log(`${mistake}: ${said}`);
}

told("none", {});
told("parsed body", { given: JSON.parse(body) });
told("body as text", { given: body.toString() });
told("body printed again", { given: Buffer.from(JSON.stringify(JSON.parse(body), null, 2)) });
told("wrong secret", { secrets: ["whsec_of_another_webhook"] });
told("secret without its prefix", { secrets: [secret.slice(6)] });
told("secret decoded from base64", { secrets: [Buffer.from(secret.slice(6), "base64")] });
told("clock an hour ahead", { at: now + 3600 });
told("no header", { header: null });
