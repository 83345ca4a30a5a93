// Which words of two texts are not in both, in the same order.

const CELLS = 6e6; // Words of one text times words of the other, at most.
const RUN = 3; // Fewer words in a row that both have are not a common passage.

// {a, b}: spans of each text to be marked; null where the texts are too long to compare.
function differences(a, b) {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  let start = 0;
  while (start < left.length && left[start].word === right[start]?.word) start++;
  let [m, n] = [left.length, right.length];
  while (m > start && n > start && left[m - 1].word === right[n - 1].word) {
    m--;
    n--;
  }
  if ((m - start) * (n - start) > CELLS) return null;
  const pairs = common(left.slice(start, m), right.slice(start, n));
  const inside = runs(pairs).map(([i, j]) => [i + start, j + start]);
  const same = { a: new Set(), b: new Set() };
  for (const [i, j] of inside) {
    same.a.add(i);
    same.b.add(j);
  }
  const outside = (words, end, kept) => (i) => i >= start && i < end && !kept.has(i);
  return {
    a: spansOf(left, outside(left, m, same.a)),
    b: spansOf(right, outside(right, n, same.b)),
    // Of the words of both, which share stands in passages that both have.
    shared: (2 * (start + left.length - m + inside.length)) / Math.max(1, left.length + right.length),
  };
}

// A longest common subsequence, as pairs of places (Wagner and Fischer 1974).
function common(left, right) {
  const width = right.length + 1;
  const table = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const at = i * width + j;
      table[at] =
        left[i].word === right[j].word
          ? table[at + width + 1] + 1
          : Math.max(table[at + width], table[at + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (left[i].word === right[j].word) pairs.push([i++, j++]);
    else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) i++;
    else j++;
  }
  return pairs;
}

// The pairs that stand in runs long enough to read as one passage.
function runs(pairs) {
  const kept = [];
  let run = [];
  for (const pair of [...pairs, [NaN, NaN]]) {
    const last = run.at(-1);
    if (last && (pair[0] !== last[0] + 1 || pair[1] !== last[1] + 1)) {
      if (run.length >= RUN) kept.push(...run);
      run = [];
    }
    run.push(pair);
  }
  return kept;
}

// Spans over words that `differs`, those next to each other as one.
function spansOf(words, differs) {
  const spans = [];
  let before = -2;
  words.forEach((word, i) => {
    if (!differs(i)) return;
    if (before === i - 1) spans.at(-1)[1] = word.to;
    else spans.push([word.from, word.to]);
    before = i;
  });
  return spans;
}

// Where an aspect's evidence stands in its post, as pairwright.text compares texts (`normalised`,
// `bare_quote`): NFKC, lower case, straight quotes, single spaces, no invisible characters, and no
// quotes or full stops around the evidence.

const QUOTES = new Map([
  ...[..."‘’‚‛『』"].map((mark) => [mark, "'"]), ...[..."“”„‟«»「」"].map((mark) => [mark, '"']), ["‹", "<"],
]);
const MARKS = "\"' .‘’‚‛“”„‟«»‹›「」『』｢｣。．｡！？\u00a0\u202f\u3000";
const AROUND = new RegExp(`^[${MARKS}]+|[${MARKS}]+$`, "g");
// Characters that NFKC may put together: a letter and its marks, and the parts of a syllable of Korean.
const MARK = `(?:\\p{M}|[\\uff9e\\uff9f]|${INVISIBLE.source})`;
const JAMO = "\\u1100-\\u11ff\\u3131-\\u318e\\ua960-\\ua97f\\ud7b0-\\ud7ff\\uffa0-\\uffdc";
const TOGETHER = new RegExp(
  `[${JAMO}](?:[${JAMO}]|${MARK})*|[\\uac00-\\ud7a3](?:[\\u11a8-\\u11ff]|${MARK})*|.${MARK}*`, "gsu");

function folded(text) {
  const places = []; // Of each character of `out`, where it comes from.
  let out = "";
  // Line ends of every kind are spaces, not invisible.
  for (const found of text.replace(/[\v\f\x85\u2028\u2029]/g, " ").matchAll(TOGETHER)) {
    const shown = found[0].replace(INVISIBLE, "").normalize("NFKC").toLowerCase();
    for (const unit of shown) {
      const space = /\s/.test(unit);
      if (space && (out === "" || out.endsWith(" "))) continue;
      out += space ? " " : (QUOTES.get(unit) ?? unit);
      while (places.length < out.length) places.push(found.index);
    }
  }
  // A prompt shows "[INST]" and its like with a round bracket.
  return { text: out.replace(/\((?=\/?[a-z_]{4,}\])/g, "["), places, end: text.length };
}

// The span of `evidence` in a folded text, or null.
function spanOf(where, evidence) {
  const bare = folded(evidence.replace(AROUND, "")).text.replace(/^["' .]+|["' .]+$/g, "");
  for (const wanted of [folded(evidence).text.trim(), bare]) {
    const start = wanted ? where.text.indexOf(wanted) : -1;
    if (start >= 0) return [where.places[start], where.places[start + wanted.length] ?? where.end];
  }
  return null;
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
