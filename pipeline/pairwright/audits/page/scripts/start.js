// The list: as many rows as can be seen are in the document, whatever the number of pairs.

const SPARE = 6; // Rows above and below those in sight.

function makeList(index, open) {
  const [list, space, pane] = [byId("list"), byId("space"), byId("window")];
  const state = { places: [], at: 0 };
  const heightOf = () => pane.firstElementChild?.offsetHeight || 68;

  function option(n) {
    const place = state.places[n];
    const [domain, mode] = index.configs[index.config[place]];
    const failed = index.flags[place].filter((flag) => index.checks[flag][1]).length;
    const votes = index.votes[place];
    const people = DECIDED[index.people[place]].mark;
    // First what must not be cut where the list is narrow: who verified the pair.
    const facts = [people, brief(domain), mode, votes && `votes ${votes[0]}:${votes[1]}`];
    const made = make("div", "option",
      make("span", "", brief(index.questions[place]) || "(no question)"),
      make("span", "small",
        failed ? [make("span", "bad", `${failed} failed`), " · "] : "",
        facts.filter(Boolean).join(" · "), ` · ${brief(index.ids[place])}`));
    made.id = `option-${n}`;
    made.setAttribute("role", "option");
    made.setAttribute("aria-setsize", state.places.length);
    made.setAttribute("aria-posinset", n + 1);
    made.setAttribute("aria-selected", n === state.at);
    made.addEventListener("click", () => {
      move(n);
      open(place);
    });
    return made;
  }

  function draw() {
    const height = heightOf();
    const first = Math.max(0, Math.floor(list.scrollTop / height) - SPARE);
    const last = Math.min(state.places.length, first + Math.ceil(list.clientHeight / height) + 2 * SPARE);
    const rows = [];
    for (let n = first; n < last; n++) rows.push(option(n));
    pane.replaceChildren(...(rows.length ? rows : [make("p", "empty", "No pair fits.")]));
    pane.style.transform = `translateY(${first * height}px)`;
    space.style.height = `${Math.max(1, state.places.length) * height}px`;
    if (rows.length && state.at >= first && state.at < last) {
      list.setAttribute("aria-activedescendant", `option-${state.at}`);
    } else {
      list.removeAttribute("aria-activedescendant");
    }
  }

  function move(n) {
    if (!state.places.length) return;
    state.at = Math.max(0, Math.min(state.places.length - 1, n));
    const height = heightOf();
    const top = state.at * height;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + height > list.scrollTop + list.clientHeight) {
      list.scrollTop = top + height - list.clientHeight;
    }
    draw();
  }

  // New rows; the one that was selected stays so if it is among them.
  function show(places) {
    const selected = state.places[state.at];
    state.places = places;
    state.at = Math.max(0, places.indexOf(selected));
    if (state.at === 0) list.scrollTop = 0;
    draw();
    move(state.at);
  }

  list.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(draw).observe(list);
  return {
    show,
    move,
    state,
    page: () => Math.max(1, Math.floor(list.clientHeight / heightOf()) - 1),
    select: (place) => {
      const n = state.places.indexOf(place);
      if (n >= 0) move(n);
    },
  };
}

// Filters, keys and the address, put together.

// The address of a pair within the page. Of pairs with one id, those after the first have a number.
function linkTo(index, place) {
  const id = index.ids[place];
  const before = place - index.ids.indexOf(id);
  const nth = before ? index.ids.slice(0, place).filter((other) => other === id).length + 1 : 1;
  return `#pair=${encodeURIComponent(id)}${nth > 1 ? `&nth=${nth}` : ""}`;
}

// The place that an address names; undefined for other addresses, -1 for a pair that is not here.
function placeIn(index, hash) {
  const found = /^#pair=([^&]*)(?:&nth=(\d+))?$/.exec(hash);
  if (!found) return undefined;
  let id = found[1];
  try {
    id = decodeURIComponent(id);
  } catch {
    return -1;
  }
  let place = -1;
  for (let nth = Number(found[2] ?? 1); nth > 0; nth--) {
    place = index.ids.indexOf(id, place + 1);
    if (place < 0) return -1;
  }
  return place;
}

function choices(select, options) {
  select.replaceChildren(...options.map(([value, words]) => {
    const made = make("option", "", words);
    made.value = value;
    return made;
  }));
}

function fillFilters(index) {
  const distinct = (n) => [...new Set(index.configs.map((config) => config[n]))].sort();
  const named = (n, all, none) =>
    [["", all], ...distinct(n).map((value) => [`=${value}`, brief(value) || none])];
  choices(byId("domain"), named(0, "all domains", "no domain"));
  choices(byId("mode"), named(1, "all modes", "no mode"));
  const simulated = index.people.some((state) => state.startsWith("simulated"));
  const people = PEOPLE.filter(([value]) => simulated || !value.startsWith("simulated"));
  choices(byId("people"), people.map(([value, words]) => [value, words]));
  const counts = index.checks.map(() => 0);
  for (const flags of index.flags) for (const flag of flags) counts[flag]++;
  choices(byId("check"), [
    ["", "any"], ["failed", "named by a failed check"], ["any", "named by any check"],
    ["none", "named by none"],
    ...index.checks.map(([title, failed], n) =>
      [String(n), `${failed ? "✗ " : ""}${title} (${count(counts[n])})`]),
  ]);
}

function run(index) {
  const fields = ["search", "domain", "mode", "check", "people"].map(byId);
  const [search] = fields;
  const [panes, pair, listBox] = [byId("panes"), byId("pair"), byId("list")];
  const go = (place) => { location.hash = linkTo(index, place); };
  const list = makeList(index, go);
  let shown = -1;
  let asked = 0;

  function find() {
    const [query, domain, mode, check, people] = fields.map((field) => field.value);
    const places = fitting(index, texts.texts, { query, domain, mode, check, people });
    list.show(places);
    const part = texts.read < 1 && query ? `, ${Math.round(100 * texts.read)} % of the texts read` : "";
    byId("found").textContent = `${count(places.length)} of ${count(index.ids.length)} pairs${part}`;
  }

  const texts = searchable(index, () => { if (search.value) find(); });

  function step(by) {
    const { places, at } = list.state;
    const next = places[at + by];
    if (shown < 0) list.move(at + by);
    // In place of the one before, so that "back" leaves the pairs that were gone through.
    else if (next !== undefined) location.replace(linkTo(index, next));
  }

  function close() {
    const had = shown >= 0;
    shown = -1;
    asked++;
    pair.hidden = true;
    pair.replaceChildren();
    panes.classList.remove("open");
    if (had) {
      list.move(list.state.at);
      listBox.focus({ preventScroll: true });
    }
  }

  async function follow() {
    const place = placeIn(index, location.hash);
    if (place === undefined) return close();
    const token = ++asked;
    let page = null;
    if (place < 0) {
      page = [make("p", "", "The pair that the address names is not in this file."),
        button("Close ✕", "Close", () => { location.hash = "#pairs"; })];
    } else {
      const row = await wholePair(index, place);
      if (token !== asked) return undefined;
      list.select(place);
      const { places, at } = list.state;
      page = pairPage(index, place, row, {
        to: go,
        previous: places[at - 1] === undefined ? null : () => step(-1),
        next: places[at + 1] === undefined ? null : () => step(1),
        close: () => { location.hash = "#pairs"; },
      });
    }
    const first = shown < 0;
    shown = Math.max(place, 0);
    pair.replaceChildren(...page.filter(Boolean));
    pair.hidden = false;
    pair.scrollTop = 0;
    panes.classList.add("open");
    if (place >= 0) list.select(place);
    if (first) byId("pairs").scrollIntoView();
    return pair.focus({ preventScroll: true });
  }

  const moves = {
    ArrowDown: () => list.move(list.state.at + 1), ArrowUp: () => list.move(list.state.at - 1),
    PageDown: () => list.move(list.state.at + list.page()),
    PageUp: () => list.move(list.state.at - list.page()),
    Home: () => list.move(0), End: () => list.move(Infinity),
    Enter: () => { const place = list.state.places[list.state.at]; if (place !== undefined) go(place); },
  };
  const anywhere = {
    j: () => step(1), k: () => step(-1), "/": () => { search.focus(); search.select(); },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const typing = event.target.closest("input, select, textarea");
    let does = null;
    if (event.key === "Escape" && shown >= 0) does = () => { location.hash = "#pairs"; };
    else if (event.target === search && ["Escape", "ArrowDown", "Enter"].includes(event.key)) {
      does = () => listBox.focus();
    } else if (!typing || typing.type === "checkbox") {
      does = (event.target === listBox && moves[event.key]) || anywhere[event.key];
    }
    if (!does) return;
    event.preventDefault();
    does();
  });
  for (const field of fields) {
    field.addEventListener("input", () => {
      performance.mark("asked");
      find();
      performance.measure("found", "asked");
    });
  }
  window.addEventListener("hashchange", follow);

  byId("needs").hidden = true;
  byId("browser").hidden = false;
  fillFilters(index);
  find();
  performance.mark("listed");
  follow();
}

block("index").then((index) => run(index));
