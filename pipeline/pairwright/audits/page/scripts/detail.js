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
