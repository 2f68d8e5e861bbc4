// The shortest way to a postcard: a live picture, a button, the finished card.
const main = document.querySelector("main");

function show(...parts) {
  main.replaceChildren(...parts);
}

function button(words, act) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = words;
  element.addEventListener("click", act);
  return element;
}

function picture(url, words) {
  const element = document.createElement("img");
  element.src = url;
  element.alt = words;
  return element;
}

function home() {
  show(button("Take a postcard", choose));
}

function choose() {
  show(picture("/v1/camera/frame.jpg", "The prairie"), button("Take it", take));
}

async function take() {
  const answer = await fetch("/v1/postcards", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  const reply = await answer.json();
  if (!answer.ok) {
    const words = document.createElement("p");
    words.textContent = reply.detail;
    show(words, button("Take a postcard", choose));
    return;
  }
  show(picture(`/v1/postcards/${reply.id}/image.jpg`, `Your postcard: ${reply.message ?? ""}`), button("Done", home));
}

home();
