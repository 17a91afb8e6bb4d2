"use strict";
// Asks the browser for a passkey, and sends its answer with the form. The form has the options in `data-options`,
// and the element for problems has the texts of all of them.
{
  const form = document.querySelector("form[data-options]");
  const problem = document.querySelector("[data-problem]");
  const button = form.querySelector("button");
  const texts = problem.dataset;
  const words = {
    NotAllowedError: texts.cancelled,
    InvalidStateError: texts.present,
    SecurityError: texts.notAllowed,
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
      say(words[error.name] ?? texts.failed.replace("$problem", () => error.message));
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
    say(texts.elsewhere);
  } else if (window.PublicKeyCredential?.parseCreationOptionsFromJSON) {
    say("");
    form.hidden = false;
  } else {
    say(texts.oldBrowser);
  }
}
