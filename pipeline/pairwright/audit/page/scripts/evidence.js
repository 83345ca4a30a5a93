// Where an aspect's evidence stands in its post, as pairwright.text.normalised compares texts:
// NFKC, lower case, straight quotes, single spaces, no invisible characters.

const QUOTES = new Map([["‘", "'"], ["’", "'"], ["“", '"'], ["”", '"'], ["‹", "<"]]);

function folded(text) {
  const places = []; // Of each character of `out`, where it comes from.
  let out = "";
  let at = 0;
  for (const character of text) {
    const shown = character.replace(INVISIBLE, "").normalize("NFKC").toLowerCase();
    for (const unit of shown) {
      const space = /\s/.test(unit);
      if (space && (out === "" || out.endsWith(" "))) continue;
      out += space ? " " : (QUOTES.get(unit) ?? unit);
      while (places.length < out.length) places.push(at);
    }
    at += character.length;
  }
  // A prompt shows "[INST]" and its like with a round bracket.
  return { text: out.replace(/\((?=\/?[a-z_]{4,}\])/g, "["), places, end: at };
}

// The span of `evidence` in a folded text, or null.
function spanOf(where, evidence) {
  const wanted = folded(evidence).text.trim();
  const start = wanted ? where.text.indexOf(wanted) : -1;
  if (start < 0) return null;
  return [where.places[start], where.places[start + wanted.length] ?? where.end];
}

// The passages of an aspect's evidence, one a line.
function passagesOf(evidence) {
  return evidence.split("\n").filter((line) => line.trim());
}

// Of each text the spans of evidence in it, labelled by the aspect's number, and which aspects'
// evidence was found: all of it in one text, or each of its passages in some. An aspect is looked for in the posts that it names, or everywhere if in none.
function evidenceIn(row) {
  const texts = [...row.profile.map((post) => post.text), row.narrative ?? ""];
  const known = texts.map(() => null);
  const spans = texts.map(() => []);
  const found = new Set();
  (row.rubric_aspects ?? []).forEach((aspect, n) => {
    if (!aspect.evidence) return;
    const named = new Set(aspect.post_ids ?? []);
    // Whether a text holds a passage; each that does has it marked.
    const mark = (passage) => {
      let held = false;
      texts.forEach((text, i) => {
        if (named.size && !named.has(row.profile[i]?.id)) return;
        known[i] ??= folded(text);
        const span = spanOf(known[i], passage);
        if (!span) return;
        spans[i].push([...span, String(n + 1)]);
        held = true;
      });
      return held;
    };
    const passages = passagesOf(aspect.evidence);
    if (mark(aspect.evidence) || (passages.length > 1 && passages.map(mark).every(Boolean))) {
      found.add(n);
    }
  });
  return { posts: spans.slice(0, -1), narrative: spans.at(-1), found };
}
