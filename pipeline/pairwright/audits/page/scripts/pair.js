// Which pairs the reader has asked for.

// What people said of a pair, or simulated annotators in their place, who verify nothing.
const DECIDED = {
  unasked: { mark: "", chip: ["nobody was asked"], says: "Nobody was asked about it." },
  verified: {
    mark: "✓ verified", chip: ["verified", "good"], says: "Verified by the rule of its study.",
  },
  "not verified": { mark: "✗ not verified", chip: ["not verified"], says: "Not verified." },
  simulated: {
    mark: "verified by simulated annotators", chip: ["verified by simulated annotators", "bad"],
    says: "Simulated annotators verified it by the rule of its study, which verifies nothing.",
  },
  "simulated, not verified": {
    mark: "not verified by simulated annotators", chip: ["not verified by simulated annotators", "bad"],
    says: "Simulated annotators were asked about it and did not verify it, which says nothing.",
  },
};

const PEOPLE = [
  ["", "any decision", () => true],
  ["verified", "verified by people", (index, n) => index.people[n] === "verified"],
  ["refused", "people asked, not verified", (index, n) => index.people[n] === "not verified"],
  ["simulated", "verified by simulated annotators", (index, n) => index.people[n] === "simulated"],
  ["simulated refused", "not verified by simulated annotators",
    (index, n) => index.people[n] === "simulated, not verified"],
  ["against", "any vote for the rejected", (index, n) => (index.votes[n]?.[1] ?? 0) > 0],
  ["unasked", "nobody was asked", (index, n) => index.people[n] === "unasked"],
];

// Words that all must occur; "words in quotes" must occur as they stand.
function termsOf(query) {
  const found = query.toLowerCase().matchAll(/["“”]([^"“”]+)["“”]?|[^\s"“”]+/g);
  return [...found].map((term) => (term[1] ?? term[0]).trim()).filter(Boolean);
}

// Lower-cased texts of all pairs: ids and the starts of questions at once, the rest as it is read.
function searchable(index, done) {
  const texts = index.ids.map((id, n) => `${id}\n${index.questions[n]}`.toLowerCase());
  const state = { texts, read: index.starts.length === 0 ? 1 : 0 };
  (async () => {
    for (let number = 0; number < index.starts.length; number++) {
      const part = await unpacked(byId(`texts-${number}`).textContent);
      part.question.forEach((question, n) => {
        const place = index.starts[number] + n;
        const whole = [index.ids[place], question, part.chosen[n], part.rejected[n]];
        texts[place] = whole.join("\n").toLowerCase();
      });
      state.read = (number + 1) / index.starts.length;
      done();
    }
    performance.mark("read");
  })();
  return state;
}

// Places of the pairs that fit, in the order of the source.
function fitting(index, texts, asked) {
  const people = PEOPLE.find(([name]) => name === asked.people)[2];
  const configs = index.configs.map(
    ([domain, mode]) =>
      (asked.domain === "" || domain === asked.domain.slice(1)) &&
      (asked.mode === "" || mode === asked.mode.slice(1)),
  );
  const failed = index.checks.map((check) => check[1]);
  const flagged = {
    "": () => true,
    any: (flags) => flags.length > 0,
    failed: (flags) => flags.some((flag) => failed[flag]),
    none: (flags) => flags.length === 0,
  };
  const check = flagged[asked.check] ?? ((flags) => flags.includes(Number(asked.check)));
  const terms = termsOf(asked.query);
  const places = [];
  for (let n = 0; n < index.ids.length; n++) {
    if (!configs[index.config[n]] || !check(index.flags[n]) || !people(index, n)) continue;
    if (terms.every((term) => texts[n].includes(term))) places.push(n);
  }
  return places;
}

// The parts of a pair's page below its two responses.

function aspectsOf(row, found) {
  const aspects = row.rubric_aspects ?? [];
  if (!aspects.length) return [];
  const items = aspects.map((aspect, n) => {
    const scores = [
      ["chosen", aspect.chosen_score],
      ["rejected", aspect.rejected_score],
    ].filter(([, score]) => score !== undefined && score !== null);
    const judged = scores.map(([side, score]) => `${side} ${score} of FULL_ADHERENCE`).join(", ");
    const named = (aspect.post_ids ?? []).map(brief).join(", ");
    return make(
      "li", "",
      make("div", "aspect", make("span", "number-of", String(n + 1)), blockOfText(aspect.aspect)),
      aspect.reason ? blockOfText(aspect.reason) : null,
      aspect.evidence ? make("div", "quote", blockOfText(aspect.evidence)) : null,
      make("div", "faint",
        judged ? `The judge: ${judged}. ` : "",
        aspect.evidence
          ? found.has(n) ? "Evidence marked below" : "Evidence NOT FOUND in the posts"
          : "No evidence",
        named ? [" (names ", named, ")"] : "", "."),
    );
  });
  const origin = row.aspects_origin ? ` (origin: ${row.aspects_origin})` : "";
  return [make("h4", "", `What this user expects${origin}`), make("ol", "aspects", items)];
}

function judgedBy(row) {
  const rows = (row.quality ?? []).map((of) =>
    make("tr", "", [of.scale, of.chosen, of.rejected].map((cell) => make("td", "", plain(String(cell))))),
  );
  const table = make("table", "",
    make("thead", "", make("tr", "", ["scale", "chosen", "rejected"].map((cell) => make("th", "", cell)))),
    make("tbody", "", rows));
  const said = row.comparison && `Its pick of the better answer, over both orders: ${row.comparison}.`;
  if (!rows.length && !said) return [];
  return [
    make("h4", "", "The judge on quality, blind to the user"),
    rows.length ? make("div", "scroll", table) : null,
    said ? make("p", "", said) : null,
  ];
}

const VOTES = [
  ["chosen", "for the chosen"], ["rejected", "for the rejected"], ["equal", "no difference"],
  ["cannot_tell", "cannot tell"],
];

function votesOf(row) {
  const title = make("h4", "", "People");
  const state = DECIDED[row.people].says;
  if (!row.votes) return [title, make("p", "", state)];
  const there = VOTES.filter(([name]) => row.votes[name] > 0);
  const bar = make("div", "votes", there.map(([name]) => {
    const part = make("span", name, String(row.votes[name]));
    part.style.flex = `${row.votes[name]} 1 0`;
    return part;
  }));
  bar.setAttribute("aria-hidden", "true");
  const votes = VOTES.map(([name, words]) => `${row.votes[name]} ${words}`).join(", ");
  return [title, make("p", "", `${state} First-round votes: ${votes}.`), bar];
}

function postsOf(row, spans) {
  if (!row.profile.length) return [make("h4", "", "Posts"), make("p", "", "This pair has no profile.")];
  const items = row.profile.map((post, n) => {
    const facts = [post.created, post.category, post.licence].filter(Boolean).map(brief).join(" · ");
    return make("li", "",
      make("div", "faint", [brief(post.id), facts ? ` · ${facts}` : "", post.source_url ? " · " : "",
        post.source_url ? address(post.source_url) : null]),
      blockOfText(post.text, spans[n], "evidence"));
  });
  return [make("h4", "", `The user's earlier posts (${count(items.length)})`), make("ol", "posts", items)];
}

function narrativeOf(row, spans) {
  if (!row.narrative) return [];
  const summary = make("summary", "", "The user's own explanation, which no writer was shown");
  return [make("h4", "", "Narrative"),
    make("details", "", summary, blockOfText(row.narrative, spans, "evidence"))];
}

const FACTS = [
  ["pair", "id"], ["item", "item_id"], ["category", "category"], ["user", "user"], ["dyad", "dyad"],
  ["twin", "twin_id"], ["strategy", "strategy"], ["generator", "generator"], ["judge", "judge"],
  ["asked on", "created"], ["licence", "licence"],
];

function factsOf(row) {
  const list = make("dl", "");
  for (const [words, field] of FACTS) {
    if (row[field]) list.append(make("dt", "", words), make("dd", "", blockOfText(row[field])));
  }
  if (row.source_url) list.append(make("dt", "", "address"), make("dd", "", address(row.source_url)));
  return [make("h4", "", "Where it comes from"), list];
}

// One pair, as a page of its own beside the list.

const MARKING = { on: true }; // Kept from pair to pair.

function pairPage(index, place, row, go) {
  const { posts, narrative, found } = evidenceIn(row);
  return [
    barOf(index, place, row, go),
    titleOf(row),
    chipsOf(row),
    ...flagsOf(index, row),
    ...sidesOf(row),
    ...aspectsOf(row, found),
    ...votesOf(row),
    ...judgedBy(row),
    ...postsOf(row, posts),
    ...narrativeOf(row, narrative),
    ...factsOf(row),
  ];
}

function button(words, label, does) {
  const made = make("button", "", words);
  made.type = "button";
  made.setAttribute("aria-label", label);
  made.disabled = !does;
  if (does) made.addEventListener("click", does);
  return made;
}

function barOf(index, place, row, go) {
  const link = make("a", "grow", brief(row.id) || "this pair");
  link.href = linkTo(index, place);
  link.title = "A link to this pair";
  const other = index.other[place];
  return make("div", "bar",
    button("←", "Previous pair", go.previous), button("→", "Next pair", go.next), link,
    row.twin_id && typeof other === "number"
      ? button("Other half", "The other half of this twin", () => go.to(other)) : null,
    button("Close ✕", "Close this pair", go.close));
}

function titleOf(row) {
  const title = make("h3", "");
  title.append(blockOfText(row.question || "(no question)"));
  return title;
}

function whoAsked(row) {
  if (row.mode === "natural") return "the user's own choice";
  return row.asked === false ? "another user's question" : "the user's own question";
}

function chipsOf(row) {
  const chip = (words, names = "") => make("span", `chip ${names}`, brief(words));
  return make("div", "chips",
    chip(row.domain || "no domain"),
    row.mode ? chip(row.mode) : null,
    row.twin_id ? chip(whoAsked(row)) : null,
    row.mode === "placebo" ? chip("chosen by draw") : null,
    chip(...DECIDED[row.people].chip),
    row.simulated ? chip("simulated", "bad") : null);
}

function flagsOf(index, row) {
  const boxes = [];
  for (const failed of [true, false]) {
    const own = row.flags.filter(([check]) => index.checks[check][1] === failed);
    if (!own.length) continue;
    const lines = own.map(([check, detail]) =>
      make("li", "", make("b", "", index.checks[check][0]), detail ? ": " : "", plain(detail)));
    const words = failed ? "Named by failed checks" : "Named by checks that did not fail";
    boxes.push(make("div", failed ? "flags" : "flags mild", words, make("ul", "", lines)));
  }
  if (row.where) boxes.push(make("p", "faint", `In ${brief(row.where)}`));
  return boxes;
}

function lengthOf(text) {
  const words = wordCount(text);
  return `${count(words)} ${words === 1 ? "word" : "words"}`;
}

function sidesOf(row) {
  const compared = differences(row.chosen, row.rejected);
  const [more, fewer] = compared ? [compared.a, compared.b] : [[], []];
  const side = (name, text, spans) =>
    make("section", `side ${name}`,
      make("h4", "", name === "chosen" ? "Chosen" : "Rejected",
        make("span", "", lengthOf(text))),
      blockOfText(text, spans));
  const sides = make("div", "sides", side("chosen", row.chosen, more), side("rejected", row.rejected, fewer));
  if (!compared) return [make("p", "faint", "These responses are too long to be compared word by word."), sides];
  const box = make("input", "");
  box.type = "checkbox";
  box.checked = MARKING.on;
  const turn = () => sides.classList.toggle("marked", (MARKING.on = box.checked));
  box.addEventListener("change", turn);
  turn();
  const words = `Mark the words that differ (${Math.round(100 * compared.shared)} % are in both)`;
  return [make("label", "switch faint", box, words), sides];
}
