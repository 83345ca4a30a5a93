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
