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
  ["chosen", "for the chosen"], ["rejected", "for the rejected"], ["equal", "about equal"],
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
