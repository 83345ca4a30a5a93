"use strict";
// The pairs below the report: filtered by the check that names them, PAGE at a time. Texts of pairs
// become text nodes and never markup.

const PAGE = 20;
const byId = (id) => document.getElementById(id);

function make(tag, name, ...content) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...content.flat().filter((one) => one !== null));
  return made;
}

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(byId(id).textContent), (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

// A text as it is, its lines kept, in its own direction.
const textBox = (text) => make("div", "text", text);
const oneLine = (text) => text.slice(0, 400).replace(/\s+/g, " ").trim().slice(0, 160);

function side(name, text) {
  return make("div", `side ${name}`, make("h4", "", name), textBox(text));
}

function pairPage(pair, index) {
  const flags = pair.flags.map(([check, detail]) => {
    const [title, failed] = index.checks[check];
    return make("li", failed ? "bad" : "", detail ? `${title}: ${detail}` : title);
  });
  const facts = [pair.config, pair.people];
  if (pair.votes) {
    const [chosen, rejected, equal, cannot] = pair.votes;
    facts.push(`votes: ${chosen} chosen, ${rejected} rejected, ${equal} equal, ${cannot} cannot tell`);
  }
  if (pair.where) facts.push(pair.where);
  const posts = pair.posts.map(([created, text]) =>
    make("li", "", created ? make("div", "small", created) : null, textBox(text)));
  const aspects = pair.aspects.map((aspect) => make("li", "", textBox(aspect)));
  const failed = pair.flags.filter(([check]) => index.checks[check][1]).length;
  const details = make("details", "pair",
    make("summary", "",
      make("bdi", "", oneLine(pair.question) || "(no question)"), " ",
      failed ? make("span", "bad", `${failed} failed`) : null,
      make("bdi", "small", ` ${oneLine(pair.id)}`)),
    make("p", "small", facts.filter(Boolean).join(" · ")),
    flags.length ? make("ul", "flags", flags) : null,
    make("h4", "", "Question"), textBox(pair.question),
    make("div", "sides", side("chosen", pair.chosen), side("rejected", pair.rejected)),
    aspects.length ? [make("h4", "", "What this user expects"), make("ol", "", aspects)] : null,
    make("h4", "", posts.length ? "Posts" : "No posts"), make("ol", "posts", posts));
  details.dataset.pair = pair.id;
  return details;
}

async function run() {
  const index = await unpacked("index");
  const failed = index.checks.map((check) => check[1]);
  const counts = index.checks.map((_, n) => index.flags.filter((own) => own.includes(n)).length);
  const choices = [
    ["", "all pairs"], ["failed", "pairs that a failed check names"],
    ...index.checks.map(([title, fails], n) => [`${n}`, `${fails ? "✗ " : ""}${title} (${counts[n]})`]),
  ];
  byId("check").append(...choices.map(([value, words]) => {
    const option = make("option", "", words);
    option.value = value;
    return option;
  }));
  const blocks = new Map();
  let places = [];
  let first = 0;
  let drawn = 0;

  const block = (number) => {
    if (!blocks.has(number)) blocks.set(number, unpacked(`block-${number}`));
    return blocks.get(number);
  };

  async function draw() {
    const here = places.slice(first, first + PAGE);
    const token = ++drawn;
    const pairs = await Promise.all(here.map(async (place) =>
      (await block(Math.floor(place / index.block)))[place % index.block]));
    if (token !== drawn) return;
    byId("list").replaceChildren(...pairs.map((pair) => pairPage(pair, index)));
    const last = first + here.length;
    byId("found").textContent = places.length ? `${first + 1} to ${last} of ${places.length}` : "none";
    byId("previous").disabled = first === 0;
    byId("next").disabled = last >= places.length;
  }

  function filter() {
    const asked = byId("check").value;
    places = [...index.ids.keys()].filter((n) => {
      if (asked === "") return true;
      if (asked === "failed") return index.flags[n].some((flag) => failed[flag]);
      return index.flags[n].includes(Number(asked));
    });
    first = 0;
    return draw();
  }

  function turn(by) {
    first += by;
    draw().then(() => byId("pairs").scrollIntoView());
  }

  // The pair that the address names, such as #pair=q7, is opened.
  async function follow() {
    const found = /^#pair=(.*)$/.exec(location.hash);
    if (!found) return;
    const place = index.ids.indexOf(decodeURIComponent(found[1]));
    if (place < 0) return;
    byId("check").value = "";
    await filter();
    first = place - (place % PAGE);
    await draw();
    const opened = byId("list").children[place % PAGE];
    opened.open = true;
    opened.scrollIntoView();
  }

  byId("check").addEventListener("input", filter);
  byId("previous").addEventListener("click", () => turn(-PAGE));
  byId("next").addEventListener("click", () => turn(PAGE));
  window.addEventListener("hashchange", follow);
  byId("needs").hidden = true;
  byId("browser").hidden = false;
  await filter();
  await follow();
}

if ("DecompressionStream" in window) run();
