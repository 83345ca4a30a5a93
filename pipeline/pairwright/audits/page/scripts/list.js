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
