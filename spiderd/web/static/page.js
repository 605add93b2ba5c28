"use strict";
// Keys, suggestions while typing, and the status as it changes. All text goes in as text, never as markup.

const $ = (selector) => document.querySelector(selector);
const typing = (target) => target.closest("input, select, textarea") !== null;

function follow(selector) {
  const link = $(selector);
  if (link) link.click();
}

// Results: one of them is "here", j and k move it.
let here = -1;
function move(step) {
  const results = [...document.querySelectorAll(".results li")];
  if (!results.length) return;
  if (results[here]) results[here].classList.remove("here");
  here = Math.min(Math.max(here + step, 0), results.length - 1);
  results[here].classList.add("here");
  const link = results[here].querySelector("a");
  if (link) link.focus({ preventScroll: true });
  results[here].scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const box = $("input[name=q]");
  if (event.key === "/" && box) {
    event.preventDefault();
    box.focus();
    box.select();
  } else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "n") follow("a.next");
  else if (event.key === "p") follow("a.previous");
  else if (event.key === "c") follow("li.here a.cached");
});

// Suggestions: asked for when somebody pauses; only the newest answer counts.
const list = $("#suggested");
let pause = 0;
let newest = 0;
for (const box of document.querySelectorAll("input[name=q]")) {
  box.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(async () => {
      const mine = ++newest;
      try {
        const answer = await fetch("/suggest?q=" + encodeURIComponent(box.value));
        if (!answer.ok || !list) return;
        const [, found] = await answer.json();
        if (mine !== newest) return;
        list.replaceChildren(...found.map((text) => {
          const option = document.createElement("option");
          option.value = text;
          return option;
        }));
      } catch { /* the next letter asks again */ }
    }, 150);
  });
}

// The status.
function cells(tag, texts) {
  return texts.map((text) => {
    const cell = document.createElement(tag);
    cell.textContent = text;
    return cell;
  });
}

function show(view) {
  $("#state").textContent = view.state;
  $("#message").textContent = view.message;
  $("#done").value = view.done;
  $("#line").setAttribute("points", view.line);
  $("#facts").replaceChildren(...Object.entries(view.facts).map(([name, value]) => {
    const pair = document.createElement("div");
    pair.append(...cells("dt", [name]), ...cells("dd", [value]));
    return pair;
  }));
  $("#workers").hidden = view.workers.length === 0;
  $("#workers tbody").replaceChildren(...view.workers.map((worker) => {
    const row = document.createElement("tr");
    row.append(...cells("td", [worker.worker, worker.step, worker.url]));
    return row;
  }));
  $("#live").textContent = "live, " + new Date().toLocaleTimeString();
}

if ($("#state")) {
  const source = new EventSource("/status/stream");
  source.onmessage = (event) => show(JSON.parse(event.data));
  source.onerror = () => { $("#live").textContent = "not connected, trying again"; };
}
