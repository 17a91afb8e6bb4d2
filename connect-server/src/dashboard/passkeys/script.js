"use strict";
// Asks the browser for a passkey, and sends its answer with the form. The form has the options in `data-options`.
{
  const form = document.querySelector("form[data-options]");
  const problem = document.querySelector("[data-problem]");
  const button = form.querySelector("button");
  const words = {
    NotAllowedError: "This was cancelled, or took too long. Try again.",
    InvalidStateError: "This device has a passkey for you already.",
    SecurityError: "The browser allows no passkeys at this address. Ask the operator of this server.",
  };

  const say = (text) => {
    problem.textContent = text;
    problem.hidden = !text;
  };

  const ask = async () => {
    const options = JSON.parse(form.dataset.options);
    const credential =
      "adds" in form.dataset
        ? await navigator.credentials.create({
            publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
          })
        : await navigator.credentials.get({
            publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
          });
    return JSON.stringify(credential.toJSON());
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    say("");
    try {
      form.elements.answer.value = await ask();
      form.submit();
    } catch (error) {
      say(words[error.name] ?? `The browser could not do it: ${error.message}`);
      button.disabled = false;
    }
  });
  // After a way back, the page may be as it was.
  window.addEventListener("pageshow", () => (button.disabled = false));

  // A tunnel to this machine may have any port.
  const address = new URL(form.dataset.address);
  const isHere =
    location.origin === address.origin ||
    (location.hostname === "localhost" && address.hostname === "localhost");
  if (!isHere) {
    say(`Passkeys work at one address alone. Open this page at ${form.dataset.address}`);
  } else if (window.PublicKeyCredential?.parseCreationOptionsFromJSON) {
    say("");
    form.hidden = false;
  } else {
    say("This browser is too old for passkeys. Update it, or use another one.");
  }
}
