// What the file holds, read when it is asked for.

const byId = (id) => document.getElementById(id);
const KEPT = 12; // Blocks in memory at a time.
const reading = new Map();

// The value of one block: base64 of raw deflate of JSON.
function block(name) {
  const known = reading.get(name) ?? unpacked(byId(name).textContent);
  reading.delete(name);
  reading.set(name, known); // The one used last stands last.
  if (reading.size > KEPT) reading.delete(reading.keys().next().value);
  return known;
}

async function unpacked(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

// The number of the block that a pair is in.
function blockOf(index, place) {
  let low = 0;
  let high = index.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (index.starts[middle] <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Everything on one pair: its row with all texts, and what checks say of it.
async function wholePair(index, place) {
  const number = blockOf(index, place);
  const [texts, details] = await Promise.all([block(`texts-${number}`), block(`details-${number}`)]);
  const n = place - index.starts[number];
  const detail = details.rows[n];
  return {
    ...detail.row,
    question: texts.question[n],
    chosen: texts.chosen[n],
    rejected: texts.rejected[n],
    profile: detail.profile.map((post) => details.posts[post]),
    flags: detail.flags,
    where: detail.where,
    people: index.people[place],
  };
}

// Texts become text nodes, always: nothing here is ever parsed as HTML.

const CUT = 20000; // Characters shown of a text until all are asked for.
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

// An element with classes and children; strings become text.
function make(tag, names, ...children) {
  const element = document.createElement(tag);
  if (names) element.className = names;
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// A text with its invisible characters named, because they can hide or turn what stands there.
function plain(text) {
  const nodes = [];
  let done = 0;
  for (const found of text.matchAll(INVISIBLE)) {
    const code = found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    nodes.push(text.slice(done, found.index), make("span", "code-point", `U+${code}`));
    done = found.index + found[0].length;
  }
  nodes.push(text.slice(done));
  return nodes;
}

// A text with spans marked. Spans are [start, end, label]; those with a label get it behind.
function marked(text, spans, names = "") {
  const cuts = [...new Set([0, text.length, ...spans.flatMap(([a, b]) => [a, b])])];
  cuts.sort((a, b) => a - b);
  const nodes = [];
  for (let i = 0; i + 1 < cuts.length; i++) {
    const [from, to] = [cuts[i], cuts[i + 1]];
    const over = spans.filter(([a, b]) => a <= from && to <= b);
    const piece = plain(text.slice(from, to));
    nodes.push(...(over.length ? [make("mark", names, piece)] : piece));
    const ending = over.filter(([, b, label]) => b === to && label);
    if (ending.length) nodes.push(make("sup", "", ending.map(([, , label]) => label).join(" ")));
  }
  return nodes;
}

// A block of text, cut where it is very long until the reader asks for the rest.
function blockOfText(text, spans = [], names = "") {
  const box = make("div", "text");
  box.dir = "auto";
  const show = (end) => {
    const within = spans.filter(([a]) => a < end).map(([a, b, l]) => [a, Math.min(b, end), l]);
    box.replaceChildren(...marked(text.slice(0, end), within, names));
  };
  show(Math.min(text.length, CUT));
  if (text.length <= CUT) return box;
  const all = make("button", "", `Show all ${count(text.length)} characters`);
  all.type = "button";
  all.addEventListener("click", () => {
    show(text.length);
    all.remove();
  });
  return make("div", "", box, all);
}

const count = (n) => n.toLocaleString("en-US");

// A name on one line, without invisible characters, cut where it is very long.
function brief(text) {
  const line = text.slice(0, 1000).replace(INVISIBLE, "").replace(/\s+/g, " ").trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

// An address as a link where it is one of the web; any other text stays text.
function address(text) {
  if (text.length > 2000) return make("span", "", brief(text));
  let url = null;
  try {
    url = new URL(text);
  } catch {
    return make("span", "", plain(text));
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") return make("span", "", plain(text));
  const link = make("a", "", url.href);
  link.href = url.href;
  link.rel = "noopener noreferrer";
  link.target = "_blank";
  return link;
}

// What a word is, and how many there are, as in pairwright.text.scripts.

const KANA = "\\u3041-\\u3096\\u309d-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff\\u31f0-\\u31ff";
const HAN = "\\u3005\\u3007\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3134f}";
const THAI = "\\u0e01-\\u0e3a\\u0e40-\\u0e4e\\u0e81-\\u0ece\\u1000-\\u109f\\u1780-\\u17d3"; // And its like.
const UNSPACED = `[${KANA}${HAN}${THAI}]`;
const LETTER = `(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])`;
// Where no spaces are between words, every character with its marks is compared as one.
const WORD = new RegExp(`${UNSPACED}\\p{M}*|${LETTER}+(?:['’]${LETTER}+)*`, "gu");
const PER_WORD = { chinese: 1.6, japanese: 1.85, thai: 5.5 }; // Characters.

// The words of a text in order, with their places.
function wordsOf(text) {
  const found = [];
  for (const word of text.matchAll(WORD)) {
    const [from, to] = [word.index, word.index + word[0].length];
    found.push({ word: word[0].normalize("NFC").toLowerCase(), from, to });
  }
  return found;
}

// Words as a person counts them: between white space, or as many as the characters make.
function wordCount(text) {
  const [kana, han, thai] = [KANA, HAN, THAI].map((range) => matches(text, `[${range}]`).length);
  if (!(kana + han + thai)) return matches(text, "\\S+").length;
  const perWord = kana ? PER_WORD.japanese : PER_WORD.chinese;
  const unspaced = Math.max(1, Math.round((kana + han) / perWord + thai / PER_WORD.thai));
  // Marks alone, such as an ideographic full stop, are not words here.
  const spaced = text.replace(new RegExp(UNSPACED, "gu"), " ").split(/\s+/);
  return unspaced + spaced.filter((token) => /[\p{L}\p{N}]/u.test(token)).length;
}

const matches = (text, pattern) => text.match(new RegExp(pattern, "gu")) ?? [];
